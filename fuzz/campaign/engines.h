// SPDX-License-Identifier: Apache-2.0
// The engines of a campaign, and what they can be given.
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

// One set of engines a job: `jobs` of them, or as many as all the engines have room for
// (backends::BoundedJobs). The first must start; one of the others that does not, as on a busy
// machine, is said on standard error and left out.
absl::StatusOr<std::vector<Engines>> StartJobs(const std::vector<std::string>& names, int jobs);

// Element types that the engine has; those it has not are among its capabilities ("without:s1").
TypeSet TypesOf(const backends::BackendInfo& info);
// Those that all the tested engines have.
TypeSet CommonTypes(const Engines& engines);
// Whether arguments may have dynamic dimensions; else "without:dynamic-arguments" is said.
bool TakesDynamicArguments(const backends::BackendInfo& info);
bool AllTakeDynamicArguments(const Engines& engines);
// " s1 u1": the types that are not in the set.
std::string NamesOfMissing(TypeSet types);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_CAMPAIGN_ENGINES_H_
