// SPDX-License-Identifier: Apache-2.0
// What Cholesky and triangular solve share: matrices in the type that computes, and blocked forward
// substitution on a lower triangle. Other forms are brought to it by transposing and reversing
// while the operands are copied. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_LINEAR_ALGEBRA_LINEAR_ALGEBRA_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_LINEAR_ALGEBRA_LINEAR_ALGEBRA_ISA_H_

#include <algorithm>
#include <atomic>
#include <complex>

#include "backends/engine/cpu/kernels/gemm/gemm_isa.h"
#include "backends/engine/cpu/kernels/linear_algebra/linear_algebra.h"
#include "backends/engine/cpu/kernels/runtime/convert_isa.h"
#include "backends/engine/cpu/kernels/runtime/entries_isa.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {

inline constexpr int64_t kTriangleBlock = 64;

template <typename T>
T Conjugate(T x) {
  if constexpr (kIsComplex<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

// Element i of a stored array as the computing type, and back.
template <typename T>
T LoadElement(PrimitiveType type, const void* data, int64_t i) {
  if constexpr (!kIsComplex<T>) {
    if (BitWidth(type) == 16) {
      T x;
      DecodeRun(type, static_cast<const uint16_t*>(data) + i, 1, 1, &x);
      return x;
    }
  }
  return static_cast<const T*>(data)[i];
}

template <typename T>
void StoreElement(PrimitiveType type, T x, void* data, int64_t i) {
  if constexpr (!kIsComplex<T>) {
    if (BitWidth(type) == 16) {
      EncodeRun(type, &x, 1, 1, static_cast<uint16_t*>(data) + i);
      return;
    }
  }
  static_cast<T*>(data)[i] = x;
}

// A row-major matrix.
template <typename T>
struct Matrix {
  T* data;
  int64_t row;
  T* Row(int64_t i) const { return data + i * row; }
};

// c[m, n] -= a[m, k] b[k, n]; a by any strides.
template <typename T>
absl::Status Subtract(const Parallel& parallel, int64_t m, int64_t n, int64_t k, const T* a,
                      int64_t a_row, int64_t a_column, Matrix<T> b, Matrix<T> c) {
  if constexpr (!kIsComplex<T>) {
    return Gemm<T>(parallel, {m, n, k, a, a_row, a_column, b.data, b.row, 1, c.data, c.row,
                              GemmUpdate::kSubtract});
  } else {
    parallel.For(m, 2.0 * n * k, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        for (int64_t p = 0; p < k; ++p) {
          const T factor = a[i * a_row + p * a_column];
          T* to = c.Row(i);
          const T* from = b.Row(p);
          for (int64_t j = 0; j < n; ++j) to[j] -= factor * from[j];
        }
      }
    });
    return absl::OkStatus();
  }
}

// Rows [j, j + kRows) of `kVectors` vectors: x[i] -= sum over p < j of l[i][p] x[p].
template <typename T, int kRows, int kVectors>
void SubtractSolved(Matrix<T> l, int64_t j, T* x, int64_t x_row) {
  Vec<T> sums[kRows][kVectors];
  HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
    HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) {
      sums[i][v] = Load(x + (j + i) * x_row + v * kLanes<T>);
    }
  }
  for (int64_t p = 0; p < j; ++p) {
    Vec<T> solved[kVectors];
    HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) solved[v] =
        Load(x + p * x_row + v * kLanes<T>);
    HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
      const Vec<T> factor = Splat(l.Row(j + i)[p]);
      HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) sums[i][v] -= factor * solved[v];
    }
  }
  HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
    HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) {
      Store(x + (j + i) * x_row + v * kLanes<T>, sums[i][v]);
    }
  }
}

// x[j] = (x[j] - sum over first <= p < j of l[j][p] x[p]) / l[j][j] for rows of `width` elements.
template <typename T>
void SubstituteRow(Matrix<T> l, int64_t first, int64_t j, bool unit, Matrix<T> x, int64_t width) {
  T* __restrict to = x.Row(j);
  for (int64_t p = first; p < j; ++p) {
    const T factor = l.Row(j)[p];
    const T* __restrict from = x.Row(p);
    for (int64_t i = 0; i < width; ++i) to[i] -= factor * from[i];
  }
  if (unit) return;
  const T diagonal = l.Row(j)[j];
  for (int64_t i = 0; i < width; ++i) to[i] /= diagonal;
}

// l y = x in place for `width` adjacent right-hand sides; the diagonal of a unit triangle is not
// read. Whole tiles subtract what is solved from a few rows at a time, in registers.
template <typename T>
void SubstituteTile(Matrix<T> l, int64_t n, bool unit, Matrix<T> x, int64_t width) {
  int64_t j = 0;
  if constexpr (!kIsComplex<T>) {
    constexpr int kRows = 4, kVectors = 2;
    for (; width == kVectors * kLanes<T> && j + kRows <= n; j += kRows) {
      SubtractSolved<T, kRows, kVectors>(l, j, x.data, x.row);
      for (int64_t i = j; i < j + kRows; ++i) SubstituteRow(l, j, i, unit, x, width);
    }
  }
  for (; j < n; ++j) SubstituteRow(l, 0, j, unit, x, width);
}

template <typename T>
void Substitute(const Parallel& parallel, Matrix<T> l, int64_t n, bool unit, Matrix<T> x,
                int64_t columns) {
  constexpr int64_t kTile = 2 * kVectorBytes / static_cast<int64_t>(sizeof(T));
  const int64_t tiles = (columns + kTile - 1) / kTile;
  const double cost = 0.03 * static_cast<double>(n * n * std::min(columns, kTile));
  parallel.For(tiles, cost, [&](int64_t tile, int64_t end) {
    for (; tile < end; ++tile) {
      const int64_t first = tile * kTile;
      SubstituteTile(l, n, unit, Matrix<T>{x.data + first, x.row},
                     std::min(kTile, columns - first));
    }
  });
}

// One matrix after the other with the pool inside, or many over the pool.
template <typename One>
absl::Status EachMatrix(const Parallel& parallel, int64_t batch, double cost, One one) {
  if (batch < parallel.threads()) {
    for (int64_t i = 0; i < batch; ++i) HLOCTS_RETURN_IF_ERROR(one(parallel, i));
    return absl::OkStatus();
  }
  std::atomic<bool> failed{false};
  parallel.For(batch, cost, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      if (!one(Parallel(1), i).ok()) failed = true;
    }
  });
  return failed ? OutOfScratch(0) : absl::OkStatus();
}

// Calls visit(T{}) with the computing type.
template <typename Visit>
absl::Status VisitComputeType(PrimitiveType type, Visit visit) {
  switch (type) {
    case PrimitiveType::kF64:
      return visit(double{});
    case PrimitiveType::kC64:
      return visit(Complex64{});
    case PrimitiveType::kC128:
      return visit(Complex128{});
    default:
      return visit(float{});
  }
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_LINEAR_ALGEBRA_LINEAR_ALGEBRA_ISA_H_
