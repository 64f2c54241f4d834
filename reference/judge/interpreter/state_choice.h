// SPDX-License-Identifier: Apache-2.0
// Joins the results of a loop that may end after one of several trips, and requires that all
// results come from the same trip (lemma 31).
#pragma once

#include <vector>

#include "reference/judge/interpreter/set_value.h"

namespace hlocts::reference {

// Joins at least one state; all states have the same shape. Each array of the result accepts what
// any state's array accepts, and a joint predicate requires that all arrays match one state.
SetValue JoinStates(std::vector<SetValue> states);

}  // namespace hlocts::reference
