// SPDX-License-Identifier: Apache-2.0
// Runs a module and a metamorphic variant on one engine. Equal outputs are accepted; different
// outputs are judged, so that a permitted difference is not a finding.
#pragma once

#include "fuzz/triage/trial.h"
#include "generators/metamorphic/variant.h"

namespace hlocts::fuzz {

// Returns true if all leaves of `first` equal those of `variant` bit for bit, or are both NaN.
bool SameOutputs(const std::vector<std::vector<Literal>>& first,
                 const std::vector<std::vector<Literal>>& variant);

struct VariantTrial {
  bool same = false;       // not judged
  TrialResult result;      // pass if `same`
  bool is_variant = true;  // false: the original module failed
};

// Compares with `outcome`, the engine's run of `first`, which must have values.
VariantTrial RunVariant(const Sample& first, const backends::RunOutcome& outcome,
                        const Sample& variant, backends::Backend& engine,
                        const TrialOptions& options);

}  // namespace hlocts::fuzz
