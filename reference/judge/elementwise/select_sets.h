// SPDX-License-Identifier: Apache-2.0
// select on sets.
#ifndef HLOCTS_REFERENCE_JUDGE_ELEMENTWISE_SELECT_SETS_H_
#define HLOCTS_REFERENCE_JUDGE_ELEMENTWISE_SELECT_SETS_H_

#include <vector>

#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// An element of one arm, or of either where the predicate may go both ways. A scalar predicate
// stands for all elements.
SetArray SelectArrays(const SetArray& pred, const SetArray& on_true, const SetArray& on_false,
                      const Shape& shape, uint32_t origin);

// The operand that a known predicate takes every element of, where what is known of it is known of
// the array as a whole (JAX selects the results of a factorization, or NaNs where it failed).
// nullptr where that is not so.
const SetArray* SelectedWhole(const std::vector<const SetArray*>& arrays);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_ELEMENTWISE_SELECT_SETS_H_
