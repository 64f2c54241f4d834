// SPDX-License-Identifier: Apache-2.0
// Runs a module and a metamorphic variant on one engine. Equal outputs are accepted; different
// outputs are judged, so that a permitted difference is not a finding.
#pragma once

#include "fuzz/triage/trial.h"
#include "generators/metamorphic/variant.h"

namespace hlocts::fuzz {

// Returns true if all leaves are equal: each pair of elements bit for bit, or both NaN.
bool SameOutputs(const std::vector<std::vector<Literal>>& first,
                 const std::vector<std::vector<Literal>>& variant);

struct VariantTrial {
  bool same = false;       // true: outputs are equal and were not judged
  TrialResult result;      // pass if `same`
  bool is_variant = true;  // false: the original module failed, not the variant
};

// Compares `variant` with `outcome`, the values that the engine returned for `first`.
VariantTrial RunVariant(const Sample& first, const backends::RunOutcome& outcome,
                        const Sample& variant, backends::Backend& engine,
                        const TrialOptions& options);

}  // namespace hlocts::fuzz
