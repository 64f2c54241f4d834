// SPDX-License-Identifier: Apache-2.0
// Splits an instruction over devices, for the worst-case conforming partitioner (legal_noise) and
// for seeded faults (faults).
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "reference/eval_context.h"
#include "spec/ir/instruction.h"
#include "spec/ir/literal.h"

namespace hlocts::backends {

// Returns the rows [start, limit) of a dimension.
Literal RowsOf(const Literal& array, int64_t dimension, int64_t start, int64_t limit);

// Dimensions, as (operand, dimension), of equal size that are split together. Each device then has
// a part of every sum.
using Contracted = std::vector<std::pair<size_t, int64_t>>;
// Returns the dimensions by which the sums of an instruction can be split: reduced dimensions of
// reduce; contracted ones of dot; the features of an ungrouped convolution; the dimensions of a
// scatter's updates that are not window dimensions.
std::vector<Contracted> ContractedDimensions(const Instruction& instruction,
                                             absl::Span<const Literal> operands);
// Returns the number of tiles into which the operands' annotations split these dimensions, or 1.
int64_t AnnotatedTiles(const Instruction& instruction, const Contracted& cut);

// Returns the operands of part `tile` of `tiles`; nullopt if the part has no rows. In a scatter,
// only the first part contains the scatter's operand.
std::optional<std::vector<Literal>> OperandsOfPart(const Instruction& instruction,
                                                   absl::Span<const Literal> operands,
                                                   const Contracted& cut, int64_t tile,
                                                   int64_t tiles);
// Returns the initial value of a scatter's other parts: zeros that change no sum, −0 for floats.
Literal NeutralInit(const Literal& like);
// Combines two parts elementwise by the instruction's own computation, or by addition.
absl::StatusOr<Literal> CombineParts(reference::EvalContext& context,
                                     const Instruction& instruction, const Literal& a,
                                     const Literal& b);

}  // namespace hlocts::backends
