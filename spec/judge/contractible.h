// SPDX-License-Identifier: Apache-2.0
// Marks the sets whose unrounded values an addition may read (lemma 5).
#pragma once

#include "spec/judge/acceptance_set.h"

namespace hlocts {

// Marks the set of a product, quotient, power or sum, unless the set is one number that needed no
// rounding. An interval without a pre-rounding interval is marked because it results from a
// rounding; it contains the unrounded values.
inline void MarkContractible(AcceptanceSet& s) {
  if (s.Has(AcceptanceSet::kPreRounding) || (s.finite() && s.lo < s.hi)) {
    s.flags |= AcceptanceSet::kContractible;
  }
}

}  // namespace hlocts
