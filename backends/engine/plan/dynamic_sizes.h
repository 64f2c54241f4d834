// SPDX-License-Identifier: Apache-2.0
// Sizes known only at run time. An instruction on arrays with such sizes runs as the same
// instruction on dense arrays, which contain only the elements inside the sizes.
#pragma once

#include <memory>
#include <vector>

#include "spec/base/status.h"
#include "spec/ir/module.h"

namespace hlocts::plan {

// Copies the elements whose index in each dimension d is below sizes[d]. `from` and `to` are the
// dimensions of the two arrays.
void CopyCorner(absl::Span<const int64_t> sizes, absl::Span<const int64_t> from,
                absl::Span<const int64_t> to, int width, const uint8_t* source, uint8_t* target);

// Returns the elements inside the run-time sizes as a static array.
Literal Cut(const Literal& literal);
// Pads a static array to the bounds of `shape`.
Literal Uncut(const Literal& dense, const Shape& shape);

// `original`, rewritten for dense operands. `instruction` uses the placeholders in `operands`.
struct CutInstruction {
  std::vector<std::unique_ptr<Instruction>> operands;
  std::unique_ptr<Instruction> instruction;
};
absl::StatusOr<CutInstruction> CutFor(const Instruction& original,
                                      absl::Span<const Literal> operands);

}  // namespace hlocts::plan
