// SPDX-License-Identifier: Apache-2.0
// Replaces values by their stored values, without their pre-rounding intervals.
#ifndef HLOCTS_REFERENCE_JUDGE_INTERPRETER_ROUNDED_VALUE_H_
#define HLOCTS_REFERENCE_JUDGE_INTERPRETER_ROUNDED_VALUE_H_

#include "reference/judge/interpreter/set_value.h"

namespace hlocts::reference {

SetValue RoundedValue(const SetValue& value);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_INTERPRETER_ROUNDED_VALUE_H_
