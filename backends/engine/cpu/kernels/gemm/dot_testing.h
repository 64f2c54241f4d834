// SPDX-License-Identifier: Apache-2.0
// Operands for tests of dot.
#pragma once

#include <algorithm>
#include <vector>

#include "backends/engine/cpu/kernels/gemm/dot.h"

namespace hlocts::kernels {

struct Side {
  std::vector<int64_t> dimensions, strides, batch, contracting;
};

inline DotOperand OperandOf(const Side& side, const void* data, PrimitiveType type) {
  return {data, type, side.dimensions, side.strides, side.batch, side.contracting};
}

// Returns the least number of elements in memory that the operand's strides require.
inline int64_t Reach(const Side& side) {
  int64_t last = 0;
  for (size_t d = 0; d < side.dimensions.size(); ++d) {
    last += (side.dimensions[d] - 1) * side.strides[d];
  }
  return last + 1;
}

inline std::vector<int64_t> FreeOf(const Side& side) {
  std::vector<int64_t> free;
  for (int64_t d = 0; d < static_cast<int64_t>(side.dimensions.size()); ++d) {
    if (std::count(side.batch.begin(), side.batch.end(), d) +
            std::count(side.contracting.begin(), side.contracting.end(), d) ==
        0) {
      free.push_back(d);
    }
  }
  return free;
}

}  // namespace hlocts::kernels
