// SPDX-License-Identifier: Apache-2.0
// Rows of a dense array [outer, size, inner] along dimension `size`.
#pragma once

#include <cstdint>

#include "backends/engine/cpu/kernels/sort/sort.h"

namespace hlocts::kernels {

// Rows [begin, end) of the outer * inner rows. Adjacent elements of a row are `inner` apart.
struct RowRange {
  int64_t begin = 0, end = 0, size = 0, inner = 1;
  int64_t First(int64_t row) const { return row / inner * size * inner + row % inner; }
};

absl::Status CheckRows(const SortRequest& request, int64_t max_size);

// Moves element order[i] of the row to position i. `row_copy` has space for 16-byte elements.
void PermuteRow(const Parallel& parallel, const RowRange& rows, int64_t first,
                const SortOperand& operand, const uint32_t* order, char* row_copy);

}  // namespace hlocts::kernels
