// SPDX-License-Identifier: Apache-2.0
// Bounds convolutions by fast algorithms (lemma 19). Transforms mix a whole image, so an error
// depends on the norms of image and kernel, not on the terms of one window.
#pragma once

#include "reference/judge/sums/sums.h"

namespace hlocts::reference {

// Returns true if the engine may use a fast algorithm for this instruction.
bool MayBeFast(SetInterpreter& interpreter, const Instruction& instruction, const Rule& rule);

// Returns the error that the algorithm adds to each result, as f64. It is infinite if a non-finite
// value of the image or kernel, or an overflow, may affect the result.
Literal FastConvolutionErrors(const Instruction& instruction, const Shape& result,
                              const Linear& lhs, const Linear& rhs, const SumRule& rule,
                              const Bounds& bounds);

}  // namespace hlocts::reference
