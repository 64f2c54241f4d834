// SPDX-License-Identifier: Apache-2.0
// Convolutions by a fast algorithm (RULES 19): the transforms mix all of an image, so
// the error of each element follows the norms of image and kernel, not the terms of its own window.
#ifndef HLOCTS_REFERENCE_JUDGE_SUMS_FAST_CONVOLUTION_H_
#define HLOCTS_REFERENCE_JUDGE_SUMS_FAST_CONVOLUTION_H_

#include "reference/judge/sums/sums.h"

namespace hlocts::reference {

// Returns true if the engine that is judged may use a fast algorithm for this instruction.
bool MayBeFast(SetInterpreter& interpreter, const Instruction& instruction, const Rule& rule);

// The error that it adds to each result: an f64 literal of the result's dimensions; infinite where
// a non-finite value of the image or kernel, or an overflow on the way, frees the result.
Literal FastConvolutionErrors(const Instruction& instruction, const Shape& result,
                              const Linear& lhs, const Linear& rhs, const SumRule& rule,
                              const Bounds& bounds);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_SUMS_FAST_CONVOLUTION_H_
