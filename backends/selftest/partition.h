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

// The rows [start, limit) of a dimension.
Literal RowsOf(const Literal& array, int64_t dimension, int64_t start, int64_t limit);

// Dimensions of equal size, as (operand, dimension), that are split together, so that each device
// has a part of every sum.
using Contracted = std::vector<std::pair<size_t, int64_t>>;
// The dimensions by which an instruction can be split: reduced dimensions of reduce; contracted
// ones of dot; the features of an ungrouped convolution; the dimensions of a scatter's updates that
// are not window dimensions.
std::vector<Contracted> ContractedDimensions(const Instruction& instruction,
                                             absl::Span<const Literal> operands);
// The number of tiles into which annotations of the operands split these dimensions; 1 without any.
int64_t AnnotatedTiles(const Instruction& instruction, const Contracted& cut);

// The operands of part `tile` of `tiles`; nullopt if the part has no rows. Only the first part of a
// scatter contains its operand.
std::optional<std::vector<Literal>> OperandsOfPart(const Instruction& instruction,
                                                   absl::Span<const Literal> operands,
                                                   const Contracted& cut, int64_t tile,
                                                   int64_t tiles);
// The initial value of the other parts of a scatter: zeros that change no sum, −0 for floats.
Literal NeutralInit(const Literal& like);
// Combines two parts elementwise by the instruction's own computation, or by addition.
absl::StatusOr<Literal> CombineParts(reference::EvalContext& context,
                                     const Instruction& instruction, const Literal& a,
                                     const Literal& b);

}  // namespace hlocts::backends
