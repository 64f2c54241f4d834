// SPDX-License-Identifier: Apache-2.0
// Sizes known only at run time: an instruction on arrays of such sizes is the same instruction on
// the dense arrays that hold just those elements.
#ifndef HLOCTS_BACKENDS_ENGINE_PLAN_DYNAMIC_SIZES_H_
#define HLOCTS_BACKENDS_ENGINE_PLAN_DYNAMIC_SIZES_H_

#include <memory>
#include <vector>

#include "spec/base/status.h"
#include "spec/ir/module.h"

namespace hlocts::plan {

// Copies the corner of `sizes` elements between arrays of these dimensions.
void CopyCorner(absl::Span<const int64_t> sizes, absl::Span<const int64_t> from,
                absl::Span<const int64_t> to, int width, const uint8_t* source, uint8_t* target);

// The elements inside the run-time sizes, as a static array.
Literal Cut(const Literal& literal);
// Pads it to the bounds of `shape`.
Literal Uncut(const Literal& dense, const Shape& shape);

// `original` as it would be written for dense operands; it refers to stand-ins owned by this.
struct CutInstruction {
  std::vector<std::unique_ptr<Instruction>> operands;
  std::unique_ptr<Instruction> instruction;
};
absl::StatusOr<CutInstruction> CutFor(const Instruction& original,
                                      absl::Span<const Literal> operands);

}  // namespace hlocts::plan

#endif  // HLOCTS_BACKENDS_ENGINE_PLAN_DYNAMIC_SIZES_H_
