// SPDX-License-Identifier: Apache-2.0
// Evaluates instructions on arrays with run-time sizes (ruling 0064). Elements beyond the size are
// padding that nothing reads.
//
// Evaluators support only dense arrays. An operand with run-time sizes is cut to those sizes, the
// instruction is evaluated as if its shapes were static, and the result is put back into the bounds
// of its shape.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "reference/eval_context.h"

namespace hlocts::reference {

// Returns the elements within the run-time sizes as a static array.
Literal CutToSizes(const Literal& literal);
// Inverts CutToSizes: copies `dense` to the low corner of an array of `shape` and pads with zero.
// Dynamic dimensions, and dimensions with a size below the bound, get run-time sizes.
Literal PadToBounds(const Literal& dense, const Shape& shape);
// Returns the sizes of the instruction's result, or of every element of a tuple, for operands of
// the given sizes. Returns Unimplemented if the opcode does not determine the sizes.
absl::StatusOr<std::vector<int64_t>> ResultSizes(
    const Instruction& instruction, absl::Span<const std::vector<int64_t>> operand_sizes);

// Returns kInvalidArgument if operands of these run-time sizes do not fit each other: the indices
// and updates of a scatter, or the contracted dimensions of a dot. Opcodes that keep or move single
// elements are not checked.
absl::Status CheckRuntimeSizes(const Instruction& instruction,
                               absl::Span<const std::vector<int64_t>> operand_sizes);

absl::StatusOr<Literal> EvaluateCut(EvalContext& context, const Instruction& instruction,
                                    absl::Span<Literal> operands);
// Evaluates an element-wise opcode on operands without run-time sizes; broadcasts scalars.
absl::StatusOr<Literal> EvaluateElementwise(const Instruction& instruction,
                                            absl::Span<Literal> operands);

}  // namespace hlocts::reference
