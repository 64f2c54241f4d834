// SPDX-License-Identifier: Apache-2.0
// The engines of a campaign and the types that they support.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fuzz/campaign/timed_engine.h"
#include "spec/base/status.h"
#include "spec/ops/op_table.h"

namespace hlocts::fuzz {

struct Engines {
  std::vector<std::unique_ptr<TimedEngine>> tested;
  std::unique_ptr<backends::Backend> reference;  // computes intermediate values for the shrinker
};

// Returns kUnavailable, with the reason, if an engine cannot be started.
absl::StatusOr<Engines> StartEngines(const std::vector<std::string>& names);

// Starts `jobs` sets of engines, or as many as all engines allow (backends::BoundedJobs). The first
// set must start. If another set fails, as on a busy machine, it is reported on standard error and
// omitted.
absl::StatusOr<std::vector<Engines>> StartJobs(const std::vector<std::string>& names, int jobs);

// Returns the supported element types: all except those in the capabilities, as "without:s1".
TypeSet TypesOf(const backends::BackendInfo& info);
// Returns the types that all tested engines support.
TypeSet CommonTypes(const Engines& engines);
// Returns true if arguments may have dynamic dimensions, i.e. unless the capabilities contain
// "without:dynamic-arguments".
bool TakesDynamicArguments(const backends::BackendInfo& info);
bool AllTakeDynamicArguments(const Engines& engines);
// Returns the types that are not in the set, as " s1 u1".
std::string NamesOfMissing(TypeSet types);

}  // namespace hlocts::fuzz
