// SPDX-License-Identifier: Apache-2.0
// Transposes square blocks in vector registers.
#if defined(HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_TRANSPOSE_TRANSPOSE_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_TRANSPOSE_TRANSPOSE_INL_H_
#undef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_TRANSPOSE_TRANSPOSE_INL_H_
#else
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_TRANSPOSE_TRANSPOSE_INL_H_
#endif

#include <utility>

#include "backends/engine/cpu/kernels/runtime/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::kernels {
namespace HWY_NAMESPACE {

// Interleaves elements of `a` and `b`, from element kFirst of each. Vectors have kSize elements.
template <typename V, int kSize, int kFirst, int... kIndices>
HLOCTS_INLINE V Interleave(const V& a, const V& b, std::integer_sequence<int, kIndices...>) {
  return __builtin_shufflevector(a, b, (kFirst + kIndices / 2 + kIndices % 2 * kSize)...);
}

// Exchanges rows[i][j] and rows[j][i] by log2(kSize) perfect shuffles of the rows.
template <typename V, int kSize>
HLOCTS_INLINE void TransposeSquare(V (&rows)[kSize]) {
  constexpr int kHalf = kSize / 2;
  using Indices = std::make_integer_sequence<int, kSize>;
  HLOCTS_UNROLL for (int step = 1; step < kSize; step *= 2) {
    V next[kSize];
    HLOCTS_UNROLL for (int i = 0; i < kHalf; ++i) {
      next[2 * i] = Interleave<V, kSize, 0>(rows[i], rows[i + kHalf], Indices());
      next[2 * i + 1] = Interleave<V, kSize, kHalf>(rows[i], rows[i + kHalf], Indices());
    }
    HLOCTS_UNROLL for (int i = 0; i < kSize; ++i) rows[i] = next[i];
  }
}
template <typename T>
HLOCTS_INLINE void Transpose(Vec<T> (&rows)[kLanes<T>]) {
  TransposeSquare<Vec<T>, kLanes<T>>(rows);
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::kernels
HWY_AFTER_NAMESPACE();

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_TRANSPOSE_TRANSPOSE_INL_H_
