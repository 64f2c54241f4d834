// SPDX-License-Identifier: Apache-2.0
// Replaces values by their stored values, without their pre-rounding intervals.
#pragma once

#include "reference/judge/interpreter/set_value.h"

namespace hlocts::reference {

SetValue RoundedValue(const SetValue& value);

}  // namespace hlocts::reference
