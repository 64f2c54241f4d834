// SPDX-License-Identifier: Apache-2.0
// Triangular solve. The system is transformed to l y = x, where l is lower triangular.
#include <algorithm>
#include <complex>

#include "backends/engine/cpu/kernels/linear_algebra/matrices.h"

namespace hlocts::kernels {
namespace matrices {
namespace {

constexpr int64_t kTile = 128;  // right-hand sides that a thread solves at a time

struct SolveShape {
  int64_t n, columns;  // size of l; number of right-hand sides
  bool turn;           // l is the transpose of op(a), x that of b
  bool flip;           // l and x are reversed, because the triangle is upper
};

SolveShape ShapeOf(const TriangularSolveRequest& r) {
  // x op(a) = b is equivalent to op(a)^T x^T = b^T.
  const bool transposed = (r.transpose != TransposeKind::kNone) != !r.left_side;
  return {r.left_side ? r.rows : r.columns, r.left_side ? r.columns : r.rows, transposed,
          r.lower == transposed};
}

template <typename T>
void LoadTriangle(const TriangularSolveRequest& r, const SolveShape& shape, int64_t batch,
                  View<T> l) {
  const View<T> a = MatrixOf<T>(r.a, batch, shape.n, shape.n);
  if (shape.turn) {
    SetTransposed(a, l);
  } else {
    l = a;
  }
  if (r.transpose == TransposeKind::kAdjoint) l = l.conjugate();
  if (shape.flip) l.reverseInPlace();
}

// Divides a row. Eigen's complex division would square the divisor, which may over- or underflow.
template <typename T>
void Divide(View<T> row, T divisor) {
  if constexpr (Eigen::NumTraits<T>::IsComplex) {
    row = row.unaryExpr([divisor](const T& x) { return x / divisor; });
  } else {
    row /= divisor;
  }
}

// Solves l y = x in place. If `unit`, the diagonal is not read.
template <typename T>
void Substitute(View<T> l, bool unit, View<T> x) {
  const int64_t n = l.rows(), columns = x.cols();
  for (int64_t k = 0; k < n; k += kBlock) {
    const int64_t below = std::min(k + kBlock, n), width = below - k, rest = n - below;
    for (int64_t j = k; j < below; ++j) {
      const View<T> row = BlockOf(x, j, 0, 1, columns);
      if (j > k) SubtractProduct(BlockOf(l, j, k, 1, j - k), BlockOf(x, k, 0, j - k, columns), row);
      if (!unit) Divide(row, l(j, j));
    }
    SubtractProduct(BlockOf(l, below, k, rest, width), BlockOf(x, k, 0, width, columns),
                    BlockOf(x, below, 0, rest, columns));
  }
}

template <typename T>
absl::Status SolveOne(const Parallel& parallel, const TriangularSolveRequest& r, int64_t batch) {
  const SolveShape shape = ShapeOf(r);
  const int64_t n = shape.n, columns = shape.columns;
  const int64_t bytes = n * (n + columns) * static_cast<int64_t>(sizeof(T));
  const Scratch memory(bytes);
  if (!memory.ok()) return OutOfScratch(bytes);
  const View<T> l = ViewOf<T>(memory.As<T>(), n, n, n);
  View<T> x = ViewOf<T>(memory.As<T>() + n * n, n, columns, columns);
  LoadTriangle(r, shape, batch, l);
  const View<T> b = MatrixOf<T>(r.b, batch, r.rows, r.columns);
  if (r.left_side) {
    x = b;
  } else {
    SetTransposed(b, x);
  }
  if (shape.flip) x.colwise().reverseInPlace();
  const double products = 0.5 * static_cast<double>(n * n) * std::min(kTile, columns);
  parallel.For((columns + kTile - 1) / kTile, kNanosecondsPerProduct * products,
               [&](int64_t tile, int64_t end) {
                 for (; tile < end; ++tile) {
                   const int64_t first = tile * kTile, width = std::min(kTile, columns - first);
                   Substitute(l, r.unit_diagonal, ViewOf<T>(x.data() + first, n, width, columns));
                 }
               });
  if (shape.flip) x.colwise().reverseInPlace();
  View<T> solution = MatrixOf<T>(r.output, batch, r.rows, r.columns);
  if (r.left_side) {
    solution = x;
  } else {
    SetTransposed(x, solution);
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace matrices

absl::Status TriangularSolve(const Parallel& parallel, const TriangularSolveRequest& request) {
  const int64_t n = request.left_side ? request.rows : request.columns;
  int64_t count = 0, triangle = 0;
  HLOCTS_RETURN_IF_ERROR(CountElements({request.batch, request.rows, request.columns}, count));
  HLOCTS_RETURN_IF_ERROR(CountElements({request.batch, n, n}, triangle));
  const double size = static_cast<double>(n);
  const double elements = static_cast<double>(request.rows) * request.columns;
  return matrices::VisitMatrixType(request.type, [&](auto zero) {
    if (count == 0) return absl::OkStatus();
    return matrices::EachMatrix(parallel, request.batch, 0.1 * size * elements + 5 * size * size,
                                [&](const Parallel& pool, int64_t i) {
                                  return matrices::SolveOne<decltype(zero)>(pool, request, i);
                                });
  });
}

}  // namespace hlocts::kernels
