// SPDX-License-Identifier: Apache-2.0
// Declares a complex matrix with 64-bit significands, the type in which LAPACK's routines are
// computed. Real matrices have zero imaginary parts, which every operation preserves.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "spec/ir/literal.h"

namespace hlocts::reference {

using Wide = std::complex<long double>;

// A dense matrix in row-major order.
template <class Number>
struct DenseMatrix {
  int64_t rows = 0, columns = 0;
  std::vector<Number> at;

  static DenseMatrix Zero(int64_t rows, int64_t columns) {
    return {rows, columns, std::vector<Number>(static_cast<size_t>(rows * columns))};
  }
  static DenseMatrix Identity(int64_t rows, int64_t columns) {
    DenseMatrix result = Zero(rows, columns);
    for (int64_t i = 0; i < std::min(rows, columns); ++i) result(i, i) = 1;
    return result;
  }

  Number& operator()(int64_t i, int64_t j) { return at[i * columns + j]; }
  const Number& operator()(int64_t i, int64_t j) const { return at[i * columns + j]; }
  bool AllFinite() const {
    return std::all_of(at.begin(), at.end(), [](const Number& x) {
      return std::isfinite(x.real()) && std::isfinite(x.imag());
    });
  }
};
using WideMatrix = DenseMatrix<Wide>;
// Returns a 1x1 matrix.
inline WideMatrix WideNumber(long double x) { return {1, 1, {Wide(x)}}; }

WideMatrix ConjugateTransposed(const WideMatrix& a);
WideMatrix Product(const WideMatrix& a, const WideMatrix& b);
WideMatrix Difference(WideMatrix a, const WideMatrix& b);
WideMatrix AbsoluteValues(WideMatrix a);
// Returns a triangle of the first rows and columns, with ones on the diagonal if `unit`.
WideMatrix TriangleFrom(const WideMatrix& a, bool lower, bool unit, int64_t rows, int64_t columns);
// Returns the matrix with rows and columns in the reverse order.
WideMatrix Reversed(const WideMatrix& a);
// Returns the 1-norm: the largest sum of the magnitudes of a column.
long double OneNorm(const WideMatrix& a);
// Reads a matrix from an f32, f64, c64, c128 or s32 literal, starting at element `first`.
WideMatrix MatrixOf(const Literal& literal, int64_t first, int64_t rows, int64_t columns);
// Rounds the matrix into the literal, starting at element `first`. Integers get the real part.
void Store(const WideMatrix& matrix, Literal& literal, int64_t first);

}  // namespace hlocts::reference
