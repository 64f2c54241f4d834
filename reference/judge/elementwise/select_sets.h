// SPDX-License-Identifier: Apache-2.0
// select on sets.
#ifndef HLOCTS_REFERENCE_JUDGE_ELEMENTWISE_SELECT_SETS_H_
#define HLOCTS_REFERENCE_JUDGE_ELEMENTWISE_SELECT_SETS_H_

#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// An element of one arm, or of either if the predicate may go both ways. A scalar predicate applies
// to all elements.
SetArray SelectArrays(const SetArray& pred, const SetArray& on_true, const SetArray& on_false,
                      const Shape& shape, uint32_t origin);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_ELEMENTWISE_SELECT_SETS_H_
