// SPDX-License-Identifier: Apache-2.0
// Runs a module and a metamorphic variant of it on one engine. Equal outputs are accepted; unequal
// ones are judged, so that a permitted difference is no finding.
#ifndef HLOCTS_FUZZ_CAMPAIGN_TWIN_TRIAL_H_
#define HLOCTS_FUZZ_CAMPAIGN_TWIN_TRIAL_H_

#include "fuzz/triage/trial.h"
#include "generators/metamorphic/twin.h"

namespace hlocts::fuzz {

// Leaves of all devices, those of `first` at least, bit for bit; any NaN is like any other.
bool SameOutputs(const std::vector<std::vector<Literal>>& first,
                 const std::vector<std::vector<Literal>>& twin);

struct TwinTrial {
  bool same = false;    // no judge was asked
  TrialResult result;   // pass where `same`
  bool of_twin = true;  // else the first module is what failed
};

// `outcome` is the engine's run of `first`, with values.
TwinTrial RunTwin(const Sample& first, const backends::RunOutcome& outcome, const Sample& twin,
                  backends::Backend& engine, const TrialOptions& options);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_CAMPAIGN_TWIN_TRIAL_H_
