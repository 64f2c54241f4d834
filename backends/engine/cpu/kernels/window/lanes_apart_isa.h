// SPDX-License-Identifier: Apache-2.0
// A vector of elements that lie apart. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_WINDOW_LANES_APART_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_WINDOW_LANES_APART_ISA_H_

#include <utility>

#include "backends/engine/cpu/kernels/runtime/vector_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

// Every second element of the first half, then of the second from its own second one on.
template <typename T, int... kIndices>
HLOCTS_INLINE Vec<T> Halves(Vec<T> a, Vec<T> b, std::integer_sequence<int, kIndices...>) {
  constexpr int kHalf = sizeof...(kIndices) / 2;
  return __builtin_shufflevector(a, b, (kIndices < kHalf ? 2 * kIndices : 2 * kIndices + 1)...);
}

// kLanes<T> elements, `stride` apart; kStride: the same if it is 1, 2 or 4, or else 0.
template <int kStride, typename T>
HLOCTS_INLINE Vec<T> LoadApart(const T* from, int64_t stride) {
  constexpr int kCount = kLanes<T>;
  if constexpr (kStride == 1) {
    return Load(from);
  } else if constexpr (kStride != 0) {
    // The second half ends with the last element wanted: what lies behind may not be memory.
    constexpr int kNear = kStride / 2;
    return Halves<T>(LoadApart<kNear>(from, kNear),
                     LoadApart<kNear>(from + (kCount - 1) * kNear, kNear),
                     std::make_integer_sequence<int, kCount>());
  } else {
    T values[kCount];
    HLOCTS_UNROLL for (int i = 0; i < kCount; ++i) values[i] = from[i * stride];
    return Load(values);
  }
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_WINDOW_LANES_APART_ISA_H_
