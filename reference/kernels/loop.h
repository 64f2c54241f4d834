// SPDX-License-Identifier: Apache-2.0
// Loops over arrays for element-wise kernels, and the block size in which kernels decode.
#pragma once

#include <cstdint>

#include "reference/elementwise.h"

namespace hlocts::reference {

// The number of elements that kernels decode at a time, so that the scratch space stays in cache.
inline constexpr int64_t kBlock = 256;

// Applies F::Apply(x) to each element. The result may be stored in an operand: element i is written
// only after it has been read, and is not read again.
template <class F, typename T, typename R = T>
void UnaryLoop(const ElementwiseOp&, const void* const* operands, void* result, int64_t count) {
  const T* x = static_cast<const T*>(operands[0]);
  R* out = static_cast<R*>(result);
  for (int64_t i = 0; i < count; ++i) out[i] = F::Apply(x[i]);
}

template <class F, typename T, typename R = T>
void BinaryLoop(const ElementwiseOp&, const void* const* operands, void* result, int64_t count) {
  const T* x = static_cast<const T*>(operands[0]);
  const T* y = static_cast<const T*>(operands[1]);
  R* out = static_cast<R*>(result);
  for (int64_t i = 0; i < count; ++i) out[i] = F::Apply(x[i], y[i]);
}

}  // namespace hlocts::reference
