// SPDX-License-Identifier: Apache-2.0
// The results of a loop that may end after one of several trips: all of them are of the same trip
// (RULES 31).
#ifndef HLOCTS_REFERENCE_JUDGE_INTERPRETER_STATE_CHOICE_H_
#define HLOCTS_REFERENCE_JUDGE_INTERPRETER_STATE_CHOICE_H_

#include <vector>

#include "reference/judge/interpreter/set_value.h"

namespace hlocts::reference {

// One of these states, which are of one shape; at least one. Each array of the result has what any
// of them holds, and together they have a predicate.
SetValue OneOfStates(std::vector<SetValue> states);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_INTERPRETER_STATE_CHOICE_H_
