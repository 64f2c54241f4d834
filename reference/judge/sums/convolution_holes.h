// SPDX-License-Identifier: Apache-2.0
// Finds the results of a convolution in which a zero of padding, holes or group boundaries may
// multiply an infinity or a NaN (lemma 10).
#pragma once

#include <vector>

#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/sums/linear.h"

namespace hlocts::reference {

// Adds NaN to the sets of results that such a zero may contribute to. `lhs` and `rhs` are the
// components of the image and of the kernel (two for complex elements).
absl::Status AddHoleNans(SetInterpreter& interpreter, const Instruction& instruction,
                         const Shape& result, absl::Span<const Linear* const> lhs,
                         absl::Span<const Linear* const> rhs, std::vector<AcceptanceSet>& sets);

}  // namespace hlocts::reference
