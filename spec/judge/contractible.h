// SPDX-License-Identifier: Apache-2.0
// Which sets an addition may read before their rounding (RULES 5).
#ifndef HLOCTS_SPEC_JUDGE_CONTRACTIBLE_H_
#define HLOCTS_SPEC_JUDGE_CONTRACTIBLE_H_

#include "spec/judge/acceptance_set.h"

namespace hlocts {

// Marks a product, quotient, power or sum, unless it is one number that needed no rounding. An
// interval without a hull was rounded too, and contains all its unrounded values.
inline void MarkContractible(AcceptanceSet& s) {
  if (s.Has(AcceptanceSet::kHull) || (s.finite() && s.lo < s.hi)) {
    s.flags |= AcceptanceSet::kContractible;
  }
}

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_CONTRACTIBLE_H_
