// SPDX-License-Identifier: Apache-2.0
// Rows so short that a block's threads hold them in registers (device/block_held.h): which arrays,
// and which of them need no memory at all.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_HELD_ROWS_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_HELD_ROWS_H_

#include <vector>

#include "absl/types/span.h"
#include "backends/engine/cuda/compile/emit.h"

namespace hlocts::cuda {

// One part of a group of rows.
struct RowReads {
  bool wide = true;    // it has terms, or results, for all columns; else one value for each row
  bool needed = true;  // after the group
  std::vector<int> arrays;  // of each: the part that makes it, or kRowOperand + operand
};
inline constexpr int kRowOperand = hl::kRowParts;

// Marks the held arrays in the texts, and gives all of them as many neighbours. Returns false
// without a change where that needs too many registers.
bool HoldRows(int64_t columns, absl::Span<const RowReads> reads, std::vector<RowText>& texts);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_HELD_ROWS_H_
