// SPDX-License-Identifier: Apache-2.0
// Triangular solve of a system brought to l y = x with l lower.
#include <algorithm>
#include <utility>

#include "backends/engine/cpu/kernels/linear_algebra/linear_algebra_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

// The system as l y = x with l lower: element (i, j) of l and row i of x by number.
struct SolveShape {
  int64_t n, columns;  // of the triangle; right-hand sides
  bool flip;           // l and x are read backwards, because the triangle is an upper one
  bool transpose, conjugate;
};

SolveShape ShapeOf(const TriangularSolveRequest& r) {
  // x op(a) = b is op(a)^T x^T = b^T.
  const bool transposed = (r.transpose != TransposeKind::kNone) != !r.left_side;
  return {r.left_side ? r.rows : r.columns, r.left_side ? r.columns : r.rows, r.lower == transposed,
          transposed, r.transpose == TransposeKind::kAdjoint};
}

template <typename T>
void CopyTriangle(const TriangularSolveRequest& r, const SolveShape& shape, int64_t base,
                  Matrix<T> l) {
  const int64_t n = shape.n;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      int64_t row = shape.flip ? n - 1 - i : i, column = shape.flip ? n - 1 - j : j;
      if (shape.transpose) std::swap(row, column);
      const T x = LoadElement<T>(r.type, r.a, base + row * n + column);
      l.Row(i)[j] = shape.conjugate ? Conjugate(x) : x;
    }
  }
}

// Number in b of element (i, column) of the right-hand sides.
int64_t SideElement(const TriangularSolveRequest& r, const SolveShape& shape, int64_t i,
                    int64_t column) {
  const int64_t row = shape.flip ? shape.n - 1 - i : i;
  return r.left_side ? row * r.columns + column : column * r.columns + row;
}

template <typename T>
absl::Status SolveOne(const Parallel& parallel, const TriangularSolveRequest& r, int64_t batch) {
  const SolveShape shape = ShapeOf(r);
  const int64_t n = shape.n, columns = shape.columns, base = batch * n * columns;
  const int64_t bytes = (n * n + n * columns) * static_cast<int64_t>(sizeof(T));
  const Scratch memory(bytes);
  if (!memory.ok()) return OutOfScratch(bytes);
  const Matrix<T> l = {memory.As<T>(), n}, x = {memory.As<T>() + n * n, columns};
  CopyTriangle(r, shape, batch * n * n, l);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t c = 0; c < columns; ++c) {
      x.Row(i)[c] = LoadElement<T>(r.type, r.b, base + SideElement(r, shape, i, c));
    }
  }
  for (int64_t k = 0; k < n; k += kTriangleBlock) {
    const int64_t width = std::min(kTriangleBlock, n - k), rest = n - k - width;
    const Matrix<T> solved = {x.Row(k), columns};
    Substitute(parallel, Matrix<T>{l.Row(k) + k, n}, width, r.unit_diagonal, solved, columns);
    if (rest == 0) break;
    HLOCTS_RETURN_IF_ERROR(Subtract(parallel, rest, columns, width,
                                    static_cast<const T*>(l.Row(k + width) + k), n, 1, solved,
                                    Matrix<T>{x.Row(k + width), columns}));
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t c = 0; c < columns; ++c) {
      StoreElement(r.type, x.Row(i)[c], r.output, base + SideElement(r, shape, i, c));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status TriangularSolveKernel(const Parallel& parallel,
                                   const TriangularSolveRequest& request) {
  const double n = static_cast<double>(request.left_side ? request.rows : request.columns);
  const double elements = static_cast<double>(request.rows) * request.columns;
  return VisitComputeType(request.type, [&](auto zero) {
    return EachMatrix(parallel, request.batch, 0.1 * n * elements + 5 * n * n,
                      [&](const Parallel& pool, int64_t i) {
                        return SolveOne<decltype(zero)>(pool, request, i);
                      });
  });
}

}  // namespace hlocts::kernels::HLOCTS_ISA
