// Square blocks of vectors turned in registers. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_CPU_KERNELS_TRANSPOSE_ISA_H_
#define HLOCTS_BACKENDS_CPU_KERNELS_TRANSPOSE_ISA_H_

#include <utility>

#include "backends/cpu/kernels/vector_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

// Elements of a and b in turn, from number kFirst of each on.
template <typename T, int kFirst, int... kIndices>
HLOCTS_INLINE Vec<T> Interleave(const Vec<T>& a, const Vec<T>& b,
                                std::integer_sequence<int, kIndices...>) {
  return __builtin_shufflevector(a, b, (kFirst + kIndices / 2 + kIndices % 2 * kLanes<T>)...);
}

// rows[i][j] and rows[j][i] change places: as many perfect shuffles of the rows as a row's number
// has bits.
template <typename T>
HLOCTS_INLINE void Transpose(Vec<T> (&rows)[kLanes<T>]) {
  constexpr int kHalf = kLanes<T> / 2;
  using Indices = std::make_integer_sequence<int, kLanes<T>>;
  HLOCTS_UNROLL for (int step = 1; step < kLanes<T>; step *= 2) {
    Vec<T> next[kLanes<T>];
    HLOCTS_UNROLL for (int i = 0; i < kHalf; ++i) {
      next[2 * i] = Interleave<T, 0>(rows[i], rows[i + kHalf], Indices());
      next[2 * i + 1] = Interleave<T, kHalf>(rows[i], rows[i + kHalf], Indices());
    }
    HLOCTS_UNROLL for (int i = 0; i < kLanes<T>; ++i) rows[i] = next[i];
  }
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_CPU_KERNELS_TRANSPOSE_ISA_H_
