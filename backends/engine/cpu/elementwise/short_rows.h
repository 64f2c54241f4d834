// SPDX-License-Identifier: Apache-2.0
// Rows of few elements, side by side.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_SHORT_ROWS_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_SHORT_ROWS_H_

#include <cstdint>

namespace hlocts::cpu {

// Longer rows are copied, or worked on where they stand, one by one.
constexpr int64_t kShortRow = 127;

struct ShortRows {
  int64_t rows, size;          // elements of a row: at most kShortRow
  int64_t row_stride, stride;  // between rows and between elements of one, in elements
};
// out[r * size + i] = from[r * row_stride + i * stride]; elements of `width` bytes: 1, 2, 4, 8, 16.
void CopyShortRows(const void* from, const ShortRows& rows, int width, void* out);

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_SHORT_ROWS_H_
