// SPDX-License-Identifier: Apache-2.0
// Runs and judges a module on one engine. For campaigns, shrinking and bundles.
#pragma once

#include <optional>
#include <string>

#include "backends/differ/differ.h"
#include "fuzz/triage/failure_signature.h"
#include "fuzz/triage/sample.h"
#include "reports/verdict.h"

namespace hlocts::fuzz {

struct TrialOptions {
  Profile profile = Profile::kDefault;
  backends::LoadOptions load;  // the module determines the devices
  int64_t cut = 0;             // DiffOptions::cut
  bool invalid = false;        // true: the module is invalid, and rejection is a pass
  int64_t runs_max = 1;        // maximum number of runs, above 1 for intermittent failures
  // The failure to look for, if intermittent failures of a module differ. Unset: any failure.
  std::optional<FailureSignature> wanted;
};

struct TrialResult {
  reports::Verdict verdict;
  std::vector<std::vector<Literal>> outputs;  // [device][leaf]; may be empty
  bool slight = false;                        // a wrong number that the relaxed profile accepts
};

// Returns load options with the number of devices that the module requires.
backends::LoadOptions DevicesOf(const Sample& sample, const TrialOptions& options);

// Runs a valid module. Repeats the run if the worker was killed from outside.
backends::RunOutcome RunSample(const Sample& sample, backends::Backend& engine,
                               const TrialOptions& options);

// Judges a run of a valid module. If `blame`, searches for the instruction at fault, which takes
// many runs.
TrialResult JudgeTrial(const Sample& sample, const backends::RunOutcome& outcome,
                       backends::Backend& engine, const TrialOptions& options, bool blame);
// Returns true if the verdict is a failure and, if `options.wanted` is set, is that failure.
bool IsWanted(const TrialOptions& options, const reports::Verdict& verdict);
// Runs and judges the sample up to runs_max times, until it fails as wanted. If it never does,
// returns another failure if one occurred.
TrialResult RunTrial(const Sample& sample, backends::Backend& engine, const TrialOptions& options,
                     bool blame);

// The largest number of elements for which a failure without values (a crash, a rejection) has
// expected values.
inline constexpr int64_t kExpectedWithoutValuesMax = 64;
// Returns the acceptance set, for the device that failed, as lines of JSON; "" if there is none.
std::string ExpectedLines(const Sample& sample, const reports::Verdict& verdict,
                          const TrialOptions& options, const std::vector<std::string>& facts);

}  // namespace hlocts::fuzz
