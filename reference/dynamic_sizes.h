// SPDX-License-Identifier: Apache-2.0
// Arrays with run-time sizes (ruling 0064): elements beyond the size are padding that nothing
// reads.
//
// Evaluators know only dense arrays. Where an operand has run-time sizes it is cut to them, the
// instruction is evaluated as if its shapes had always been so, and the result is put back into the
// bounds of its shape.
#ifndef HLOCTS_REFERENCE_DYNAMIC_SIZES_H_
#define HLOCTS_REFERENCE_DYNAMIC_SIZES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "reference/eval_context.h"

namespace hlocts::reference {

// The elements within the run-time sizes, as a static array.
Literal CutToSizes(const Literal& literal);
// The inverse: `dense` in the low corner of an array of `shape` (its bounds), padding zero. Dynamic
// dimensions, and those whose size is less than the bound, get run-time sizes.
Literal PutIntoBounds(const Literal& dense, const Shape& shape);
// The sizes of the instruction's result when its operands have these (tuples: of every element).
// Unimplemented for opcodes whose sizes do not follow.
absl::StatusOr<std::vector<int64_t>> ResultSizes(
    const Instruction& instruction, absl::Span<const std::vector<int64_t>> operand_sizes);

// kInvalidArgument where operands of these run-time sizes do not fit each other: indices and
// updates of a scatter, the contracted dimensions of a dot. Of opcodes that keep or move single
// elements nothing is checked.
absl::Status CheckRuntimeSizes(const Instruction& instruction,
                               absl::Span<const std::vector<int64_t>> operand_sizes);

absl::StatusOr<Literal> EvaluateCut(EvalContext& context, const Instruction& instruction,
                                    absl::Span<Literal> operands);
// Element-wise opcodes on operands without run-time sizes; scalars apply to every element.
absl::StatusOr<Literal> EvaluateElementwise(const Instruction& instruction,
                                            absl::Span<Literal> operands);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_DYNAMIC_SIZES_H_
