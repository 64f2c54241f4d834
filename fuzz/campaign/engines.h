// SPDX-License-Identifier: Apache-2.0
// The engines of a campaign, and the modules that they support.
#ifndef HLOCTS_FUZZ_CAMPAIGN_ENGINES_H_
#define HLOCTS_FUZZ_CAMPAIGN_ENGINES_H_

#include <memory>
#include <string>
#include <vector>

#include "fuzz/campaign/timed_engine.h"
#include "spec/base/status.h"
#include "spec/ops/op_table.h"

namespace hlocts::fuzz {

struct Engines {
  std::vector<std::unique_ptr<TimedEngine>> tested;
  std::unique_ptr<backends::Backend> reference;  // intermediate values for the shrinker
};

// kUnavailable with the reason: an engine that cannot be started here.
absl::StatusOr<Engines> StartEngines(const std::vector<std::string>& names);

// Starts `jobs` sets of engines, or as many as all engines allow (backends::BoundedJobs). The first
// set must start; another that fails, as on a busy machine, is reported on standard error and left
// out.
absl::StatusOr<std::vector<Engines>> StartJobs(const std::vector<std::string>& names, int jobs);

// Element types that the engine supports; its capabilities name the others ("without:s1").
TypeSet TypesOf(const backends::BackendInfo& info);
// The types that all tested engines support.
TypeSet CommonTypes(const Engines& engines);
// Returns true if arguments may have dynamic dimensions; otherwise it has
// "without:dynamic-arguments".
bool TakesDynamicArguments(const backends::BackendInfo& info);
bool AllTakeDynamicArguments(const Engines& engines);
// " s1 u1": the types that are not in the set.
std::string NamesOfMissing(TypeSet types);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_CAMPAIGN_ENGINES_H_
