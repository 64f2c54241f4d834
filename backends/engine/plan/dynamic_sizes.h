// SPDX-License-Identifier: Apache-2.0
// Arrays whose sizes are known only at run time. An instruction on such arrays is replaced by the
// same instruction on dense arrays, which contain only the elements inside the run-time sizes.
#pragma once

#include <memory>
#include <vector>

#include "spec/base/status.h"
#include "spec/ir/module.h"

namespace hlocts::plan {

// Copies the elements whose index in each dimension d is less than sizes[d]. `from` and `to` are
// the dimensions of the source and the target array.
void CopyCorner(absl::Span<const int64_t> sizes, absl::Span<const int64_t> from,
                absl::Span<const int64_t> to, int width, const uint8_t* source, uint8_t* target);

// Returns the elements inside the run-time sizes as a static array.
Literal Cut(const Literal& literal);
// Pads a static array to the bounds of `shape`, and sets the run-time sizes.
Literal Uncut(const Literal& dense, const Shape& shape);

// An instruction rewritten for dense operands. Its operands are the placeholders in `operands`.
struct CutInstruction {
  std::vector<std::unique_ptr<Instruction>> operands;
  std::unique_ptr<Instruction> instruction;
};
absl::StatusOr<CutInstruction> CutFor(const Instruction& original,
                                      absl::Span<const Literal> operands);

}  // namespace hlocts::plan
