// SPDX-License-Identifier: Apache-2.0
// Converts shorthand paddings to numbers. Internal to this directory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "spec/builder/builder.h"

namespace hlocts {

// Returns the (low, high) padding of one dimension. `base` and `window` are the sizes after
// dilation. kSame: there is a window at each multiple of the stride in the base, and an odd element
// of padding goes to the high end (rulings 0049, 0051).
inline std::pair<int64_t, int64_t> PaddingFor(PaddingKind kind, int64_t base, int64_t window,
                                              int64_t stride) {
  if (kind == PaddingKind::kValid || base <= 0 || stride <= 0) return {0, 0};
  int64_t positions = (base - 1) / stride + 1;
  int64_t reach, total;
  if (__builtin_mul_overflow(positions - 1, stride, &reach) ||
      __builtin_add_overflow(reach, window, &total)) {
    return {0, 0};
  }
  total = std::max<int64_t>(total - base, 0);
  return {total / 2, total - total / 2};
}

}  // namespace hlocts
