// SPDX-License-Identifier: Apache-2.0
// Windows side by side, one in each lane: which tap each of them selects. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_WINDOW_SELECT_LANES_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_WINDOW_SELECT_LANES_ISA_H_

#include <type_traits>
#include <utility>

#include "backends/engine/cpu/kernels/runtime/vector_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

// An integer as wide as T.
template <typename T>
using IntOf = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

// How a comparison keeps what it has. Smaller is greater with every sign changed, so that <= and <
// need no code of their own; a NaN on either side gives way in all four.
template <typename T>
struct SelectRule {
  bool strict = false;  // > instead of >=
  IntOf<T> signs = 0;   // that change: the sign bit, or none
};

// Vectors of kBytes, which may be as few as one element.
template <typename T, int kBytes>
struct SelectLanes {
  static constexpr int kCount = kBytes / static_cast<int>(sizeof(T));
  using Values = typename VectorOf<T, kBytes>::type;
  using Numbers = typename VectorOf<IntOf<T>, kBytes>::type;

  static HLOCTS_INLINE Values Load(const T* from) {
    Values v;
    __builtin_memcpy(&v, from, sizeof(v));
    return v;
  }
  template <typename V>
  static HLOCTS_INLINE void Store(void* to, const V& v) {
    __builtin_memcpy(to, &v, sizeof(v));
  }

  // Every second element of the first half, then of the second from its own second one on.
  template <int... kIndices>
  static HLOCTS_INLINE Values Halves(Values a, Values b, std::integer_sequence<int, kIndices...>) {
    return __builtin_shufflevector(a, b,
                                   (kIndices < kCount / 2 ? 2 * kIndices : 2 * kIndices + 1)...);
  }

  // kCount elements, `stride` apart; kStride: the same if it is 1, 2 or 4, or else 0.
  template <int kStride>
  static HLOCTS_INLINE Values LoadApart(const T* from, int64_t stride) {
    if constexpr (kStride == 1 || kCount == 1) {
      return Load(from);
    } else if constexpr (kStride != 0) {
      // The second half ends with the last element wanted: what lies behind may not be memory.
      constexpr int kNear = kStride / 2;
      return Halves(LoadApart<kNear>(from, kNear),
                    LoadApart<kNear>(from + (kCount - 1) * kNear, kNear),
                    std::make_integer_sequence<int, kCount>());
    } else {
      T values[kCount];
      HLOCTS_UNROLL for (int i = 0; i < kCount; ++i) values[i] = from[i * stride];
      return Load(values);
    }
  }

  // The number of the tap that each lane's window keeps, tap t of lane i being
  // from[taps[t] + at + i * stride].
  template <bool kStrict, int kStride>
  static HLOCTS_INLINE Numbers Kept(const int64_t* taps, int64_t count, const T* from, int64_t at,
                                    int64_t stride, IntOf<T> signs) {
    const auto load = [&](int64_t t) HLOCTS_INLINE_LAMBDA {
      return (Values)((Numbers)LoadApart<kStride>(from + (taps[t] + at), stride) ^ signs);
    };
    Values kept = load(0);
    Numbers number = {};
    for (int64_t t = 1; t < count; ++t) {
      const Values candidate = load(t);
      const Numbers keeps = kStrict ? kept > candidate : kept >= candidate;
      kept = keeps ? kept : candidate;
      number = keeps ? number : Numbers{} + static_cast<IntOf<T>>(t);
    }
    return number;
  }
};

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_WINDOW_SELECT_LANES_ISA_H_
