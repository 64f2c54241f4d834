// SPDX-License-Identifier: Apache-2.0
// Products of a matrix with itself turned over: one half of them is the other. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_MIRROR_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_MIRROR_ISA_H_

#include <algorithm>

#include "backends/engine/cpu/kernels/gemm/gemm_isa.h"
#include "backends/engine/cpu/kernels/gemm/gemm_tile_isa.h"
#include "backends/engine/cpu/kernels/runtime/division_isa.h"
#include "backends/engine/cpu/kernels/transpose/transpose_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

// b is a turned over: element (i, j) of the product is the same sum as element (j, i), to the bit.
template <typename T>
bool IsSquareOfOne(const GemmArgs<T>& args) {
  return args.a == args.b && args.a_row == args.b_column && args.a_column == args.b_row &&
         args.m == args.n && args.m > 2 * kTileColumns<T>;
}

// `rows` rows from `row` on of what lies below the diagonal.
template <typename T>
void MirrorRows(const GemmArgs<T>& args, int64_t row, int64_t rows) {
  constexpr int64_t kSide = kLanes<T>;
  for (int64_t column = 0; column < row + rows; column += kSide) {
    if (rows == kSide && column + kSide <= row) {
      Vec<SumOf<T>> lines[kSide];
      HLOCTS_UNROLL for (int i = 0; i < kSide; ++i) {
        lines[i] = Load(args.c + (column + i) * args.c_row + row);
      }
      Transpose<SumOf<T>>(lines);
      HLOCTS_UNROLL for (int i = 0; i < kSide; ++i) {
        Store(args.c + (row + i) * args.c_row + column, lines[i]);
      }
      continue;
    }
    for (int64_t i = row; i < row + rows; ++i) {
      for (int64_t j = column; j < std::min(i, column + kSide); ++j) {
        args.c[i * args.c_row + j] = args.c[j * args.c_row + i];
      }
    }
  }
}

template <typename T>
void MirrorUpper(const Parallel& parallel, const GemmArgs<T>& args) {
  constexpr int64_t kSide = kLanes<T>;
  parallel.For(CeilDiv(args.m, kSide), 0.2 * kSide * args.m, [&](int64_t band, int64_t end) {
    for (; band < end; ++band) {
      const int64_t row = band * kSide, rows = std::min(kSide, args.m - row);
      MirrorRows(args, row, rows);
    }
  });
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_MIRROR_ISA_H_
