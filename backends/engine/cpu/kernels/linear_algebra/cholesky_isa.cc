// SPDX-License-Identifier: Apache-2.0
// Cholesky: a = u* u with u upper, so that rows of the factor are contiguous.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <limits>

#include "backends/engine/cpu/kernels/linear_algebra/linear_algebra_isa.h"
#include "backends/engine/cpu/kernels/transpose/transpose_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int64_t kBlock = kTriangleBlock;
constexpr int64_t kBand = 2 * kBlock;
constexpr int64_t kAligned = 16;  // elements in whole vectors of any set and type

// A block on the diagonal, row by row. What is not positive ends in NaN. Below the diagonal, up to
// whole vectors, anything may be left.
template <typename T>
void FactorBlock(Matrix<T> u, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    const int64_t first = j / kAligned * kAligned;
    T* __restrict row = u.Row(j);
    int64_t p = 0;
    for (; p + 4 <= j; p += 4) {
      const T *a = u.Row(p), *b = u.Row(p + 1), *c = u.Row(p + 2), *d = u.Row(p + 3);
      const T fa = Conjugate(a[j]), fb = Conjugate(b[j]), fc = Conjugate(c[j]),
              fd = Conjugate(d[j]);
      for (int64_t i = first; i < n; ++i) {
        row[i] -= (fa * a[i] + fb * b[i]) + (fc * c[i] + fd * d[i]);
      }
    }
    for (; p < j; ++p) {
      const T* a = u.Row(p);
      const T factor = Conjugate(a[j]);
      for (int64_t i = first; i < n; ++i) row[i] -= factor * a[i];
    }
    const auto pivot = std::real(row[j]);
    using Real = std::decay_t<decltype(pivot)>;
    const T root(pivot > 0 ? std::sqrt(pivot) : std::numeric_limits<Real>::quiet_NaN());
    for (int64_t i = first; i < n; ++i) row[i] /= root;
    row[j] = root;
  }
}

// c -= x* x above its diagonal, a band of rows at a time over the pool.
template <typename T>
absl::Status SubtractSquare(const Parallel& parallel, Matrix<T> x, int64_t depth, Matrix<T> c,
                            int64_t n, T* memory) {
  Matrix<T> left = x;
  if constexpr (kIsComplex<T>) {
    left = {memory, n};
    for (int64_t p = 0; p < depth; ++p) {
      for (int64_t i = 0; i < n; ++i) left.Row(p)[i] = std::conj(x.Row(p)[i]);
    }
  }
  const int64_t bands = (n + kBand - 1) / kBand;
  std::atomic<bool> failed{false};
  const double cost = GemmNanoseconds(std::min(n, kBand), (n + 1) / 2, depth, sizeof(T));
  parallel.For(bands, cost, [&](int64_t band, int64_t end) {
    for (; band < end; ++band) {
      const int64_t first = band * kBand;
      const absl::Status status =
          Subtract(Parallel(1), std::min(kBand, n - first), n - first, depth,
                   static_cast<const T*>(left.data + first), 1, left.row,
                   Matrix<T>{x.data + first, x.row}, Matrix<T>{c.Row(first) + first, c.row});
      if (!status.ok()) failed = true;
    }
  });
  return failed ? OutOfScratch(0) : absl::OkStatus();
}

// The factor of the matrix whose upper triangle is in `u`, in place.
template <typename T>
absl::Status Factor(const Parallel& parallel, Matrix<T> u, int64_t n, T* memory) {
  const Matrix<T> l = {memory, kBlock};
  for (int64_t k = 0; k < n; k += kBlock) {
    const int64_t width = std::min(kBlock, n - k), below = k + width, rest = n - below;
    FactorBlock(Matrix<T>{u.Row(k) + k, u.row}, width);
    if (rest == 0) break;
    for (int64_t j = 0; j < width; ++j) {
      for (int64_t p = 0; p <= j; ++p) l.Row(j)[p] = Conjugate(u.Row(k + p)[k + j]);
    }
    const Matrix<T> x = {u.Row(k) + below, u.row};
    Substitute(parallel, l, width, false, x, rest);
    HLOCTS_RETURN_IF_ERROR(SubtractSquare(parallel, x, width,
                                          Matrix<T>{u.Row(below) + below, u.row}, rest,
                                          memory + kBlock * kBlock));
  }
  return absl::OkStatus();
}

// to[j][i] = the conjugate of from[i][j] in a block of rows and columns.
template <typename T>
void TurnBlock(Matrix<T> from, int64_t rows, int64_t columns, Matrix<T> to) {
  if constexpr (!kIsComplex<T>) {
    if (rows == kLanes<T> && columns == kLanes<T>) {
      Vec<T> lines[kLanes<T>];
      HLOCTS_UNROLL for (int i = 0; i < kLanes<T>; ++i) lines[i] = Load(from.Row(i));
      Transpose<T>(lines);
      HLOCTS_UNROLL for (int i = 0; i < kLanes<T>; ++i) Store(to.Row(i), lines[i]);
      return;
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) to.Row(j)[i] = Conjugate(from.Row(i)[j]);
  }
}

// One triangle of a square matrix becomes the other one of `to`. Bands on the diagonal move whole,
// so that whatever is computed beside the diagonal is computed from something.
template <typename T>
void TurnTriangle(const Parallel& parallel, Matrix<T> from, bool from_lower, int64_t n,
                  Matrix<T> to) {
  constexpr int64_t kStep = kLanes<T>;
  parallel.For((n + kStep - 1) / kStep, 0.2 * n * kStep, [&](int64_t step, int64_t steps) {
    for (; step < steps; ++step) {
      const int64_t i = step * kStep, band = i / kBand * kBand;
      const int64_t end = from_lower ? std::min(n, band + kBand) : n;
      for (int64_t j = from_lower ? 0 : band; j < end; j += kStep) {
        TurnBlock(Matrix<T>{from.Row(i) + j, from.row}, std::min(kStep, n - i),
                  std::min(kStep, n - j), Matrix<T>{to.Row(j) + i, to.row});
      }
    }
  });
}

// The stated triangle of `from` as the upper one, and back; the rest of `to` becomes zero.
template <typename T>
void LoadTriangle(const Parallel& parallel, T* from, bool lower, int64_t n, Matrix<T> u) {
  if (lower) {
    TurnTriangle(parallel, Matrix<T>{from, n}, true, n, u);
  } else {
    for (int64_t i = 0; i < n; ++i) std::copy(from + i * n, from + (i + 1) * n, u.Row(i));
  }
}
template <typename T>
void StoreTriangle(const Parallel& parallel, Matrix<T> u, bool lower, int64_t n, Matrix<T> to) {
  if (lower) {
    TurnTriangle(parallel, u, false, n, to);
  } else {
    for (int64_t i = 0; i < n; ++i) std::copy(u.Row(i), u.Row(i) + n, to.Row(i));
  }
  for (int64_t i = 0; i < n; ++i) {
    std::fill(to.Row(i) + (lower ? i + 1 : 0), to.Row(i) + (lower ? n : i), T(0));
  }
}

template <typename T>
absl::Status FactorOne(const Parallel& parallel, const CholeskyRequest& r, int64_t batch) {
  const int64_t n = r.size, bytes_each = StorageBytes(r.type), at = batch * n * n * bytes_each;
  const bool narrow = bytes_each == 2;  // converted in a square of its own
  const int64_t row = n + kAligned;  // rows a power of two apart would share few places in caches
  const int64_t work = kBlock * (kBlock + n), square = narrow ? n * n : 0;
  const int64_t bytes = (n * row + work + square) * static_cast<int64_t>(sizeof(T));
  const Scratch memory(bytes);
  if (!memory.ok()) return OutOfScratch(bytes);
  const Matrix<T> u = {memory.As<T>(), row};
  T* const rest = memory.As<T>() + n * row;
  const char* operand = static_cast<const char*>(r.operand) + at;
  char* output = static_cast<char*>(r.output) + at;
  if constexpr (!kIsComplex<T>) {
    if (narrow) {
      T* wide = rest + work;
      DecodeRun(r.type, operand, 1, n * n, wide);
      LoadTriangle(parallel, wide, r.lower, n, u);
      HLOCTS_RETURN_IF_ERROR(Factor(parallel, u, n, rest));
      StoreTriangle(parallel, u, r.lower, n, Matrix<T>{wide, n});
      EncodeRun(r.type, wide, n * n, 1, output);
      return absl::OkStatus();
    }
  }
  LoadTriangle(parallel, reinterpret_cast<T*>(const_cast<char*>(operand)), r.lower, n, u);
  HLOCTS_RETURN_IF_ERROR(Factor(parallel, u, n, rest));
  StoreTriangle(parallel, u, r.lower, n, Matrix<T>{reinterpret_cast<T*>(output), n});
  return absl::OkStatus();
}

}  // namespace

absl::Status CholeskyKernel(const Parallel& parallel, const CholeskyRequest& request) {
  const double n = static_cast<double>(request.size);
  return VisitComputeType(request.type, [&](auto zero) {
    return EachMatrix(parallel, request.batch, 0.1 * n * n * n + 5 * n * n,
                      [&](const Parallel& pool, int64_t i) {
                        return FactorOne<decltype(zero)>(pool, request, i);
                      });
  });
}

}  // namespace hlocts::kernels::HLOCTS_ISA
