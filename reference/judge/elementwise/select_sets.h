// SPDX-License-Identifier: Apache-2.0
// Computes select on sets.
#pragma once

#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// Returns elements of one operand, or of either if the predicate may be true or false. A scalar
// predicate applies to all elements.
SetArray SelectArrays(const SetArray& pred, const SetArray& on_true, const SetArray& on_false,
                      const Shape& shape, uint32_t origin);

}  // namespace hlocts::reference
