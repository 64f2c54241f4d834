// SPDX-License-Identifier: Apache-2.0
// One run of a module on one engine, as campaigns, shrinking and bundles repeat it.
#ifndef HLOCTS_FUZZ_TRIAGE_TRIAL_H_
#define HLOCTS_FUZZ_TRIAGE_TRIAL_H_

#include <string>

#include "backends/differ/differ.h"
#include "fuzz/triage/sample.h"
#include "reports/verdict.h"

namespace hlocts::fuzz {

struct TrialOptions {
  Profile profile = Profile::kDefault;
  backends::LoadOptions load;  // devices are the module's
  int64_t cut = 0;             // DiffOptions::cut
  bool invalid = false;        // the module breaks a rule: refusal is the pass
  int64_t runs_max = 1;        // an intermittent failure: the most runs until it occurs
};

struct TrialResult {
  reports::Verdict verdict;
  std::vector<std::vector<Literal>> outputs;  // [device][leaf]; empty when there are none
  bool slight = false;                        // a wrong number that the relaxed profile would take
};

// The options of a load, on as many devices as the module asks for.
backends::LoadOptions DevicesOf(const Sample& sample, const TrialOptions& options);

// Runs the valid module; once more where its worker was killed from outside.
backends::RunOutcome RunSample(const Sample& sample, backends::Backend& engine,
                               const TrialOptions& options);

// A run of the valid module that is over. `blame`: a failure is narrowed down to an instruction
// (many executions).
TrialResult JudgeTrial(const Sample& sample, const backends::RunOutcome& outcome,
                       backends::Backend& engine, const TrialOptions& options, bool blame);
// Runs and judges, again up to runs_max until it fails.
TrialResult RunTrial(const Sample& sample, backends::Backend& engine, const TrialOptions& options,
                     bool blame);

// The acceptance set of the device that failed, as lines of JSON; "" when there is none.
std::string ExpectedLines(const Sample& sample, const reports::Verdict& verdict,
                          const TrialOptions& options, const std::vector<std::string>& facts);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_TRIAL_H_
