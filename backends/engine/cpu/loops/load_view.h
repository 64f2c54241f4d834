// SPDX-License-Identifier: Apache-2.0
// Copies the elements of a view, in the row-major order of the view.
#pragma once

#include <cstdint>
#include <utility>

#include "backends/engine/plan/view.h"

namespace hlocts::cpu {

// Copies elements [start, start + count) of a simplified view of `array` to contiguous memory.
void LoadView(const plan::View& view, int width, const uint8_t* array, int64_t start, int64_t count,
              uint8_t* out);
// Returns the address of elements [start, start + count) of the view if they are contiguous in the
// array, else null.
const uint8_t* RunIn(const plan::View& view, int width, const uint8_t* array, int64_t start,
                     int64_t count);
// Returns the index of the array element at which row `number` of a view begins. A row extends
// along the innermost dimension.
int64_t RowStart(const plan::View& view, int64_t number);
// Longer rows are copied, or processed in place, one by one.
inline constexpr int64_t kShortRow = 127;

// Returns the quotient and the remainder. For small numbers this is faster than `/` and `%`.
inline std::pair<int64_t, int64_t> Divided(int64_t number, int64_t by) {
  if (((number | by) >> 32) == 0) {
    const uint32_t n = static_cast<uint32_t>(number), d = static_cast<uint32_t>(by);
    return {n / d, n % d};
  }
  return {number / by, number % by};
}

}  // namespace hlocts::cpu
