// SPDX-License-Identifier: Apache-2.0
// Decides which arrays of short rows the threads of a block keep in registers
// (device/block_held.h), and which of these arrays are not written to memory.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "backends/engine/cuda/compile/emit.h"

namespace hlocts::cuda {

// The reads of one part (step) of a group of rows.
struct RowReads {
  bool wide = true;         // false if the part has one value for each row
  bool needed = true;       // read after the group
  std::vector<int> arrays;  // for each array: the part that makes it, or kRowOperand + operand
};
inline constexpr int kRowOperand = hl::kRowParts;

// Sets in `texts` the registers of each array, and makes the number of adjacent elements equal in
// all parts. Returns false without an effect if this needs too many registers.
bool HoldRows(int64_t columns, absl::Span<const RowReads> reads, std::vector<RowText>& texts);

}  // namespace hlocts::cuda
