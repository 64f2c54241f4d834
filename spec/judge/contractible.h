// SPDX-License-Identifier: Apache-2.0
// Sets that an addition may read before they are rounded (RULES 5).
#ifndef HLOCTS_SPEC_JUDGE_CONTRACTIBLE_H_
#define HLOCTS_SPEC_JUDGE_CONTRACTIBLE_H_

#include "spec/judge/acceptance_set.h"

namespace hlocts {

// Marks a product, quotient, power or sum, unless it is one number that needed no rounding. An
// interval without a pre-rounding interval was rounded too, and contains all its unrounded values.
inline void MarkContractible(AcceptanceSet& s) {
  if (s.Has(AcceptanceSet::kHull) || (s.finite() && s.lo < s.hi)) {
    s.flags |= AcceptanceSet::kContractible;
  }
}

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_CONTRACTIBLE_H_
