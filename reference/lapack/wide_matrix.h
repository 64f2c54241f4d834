// SPDX-License-Identifier: Apache-2.0
// A matrix of complex numbers with 64-bit significands, by rows: what the routines of LAPACK are
// computed in. Real matrices have imaginary parts of zero, which every step keeps.
#ifndef HLOCTS_REFERENCE_LAPACK_WIDE_MATRIX_H_
#define HLOCTS_REFERENCE_LAPACK_WIDE_MATRIX_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "spec/ir/literal.h"

namespace hlocts::reference {

using Wide = std::complex<long double>;

// By rows.
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
// One row, one column.
inline WideMatrix WideNumber(long double x) { return {1, 1, {Wide(x)}}; }

WideMatrix ConjugateTransposed(const WideMatrix& a);
WideMatrix Product(const WideMatrix& a, const WideMatrix& b);
WideMatrix Difference(WideMatrix a, const WideMatrix& b);
WideMatrix AbsoluteValues(WideMatrix a);
// One triangle of the first rows and columns of `a`, with its diagonal or with ones there.
WideMatrix TriangleFrom(const WideMatrix& a, bool lower, bool unit, int64_t rows, int64_t columns);
// The largest sum of the magnitudes of a column (the 1-norm).
long double OneNorm(const WideMatrix& a);
// `rows` rows of `columns` elements of an f32, f64, c64 or c128 literal, from element `first` on.
WideMatrix MatrixOf(const Literal& literal, int64_t first, int64_t rows, int64_t columns);
// Rounds the matrix into the elements from `first` on; integers take the real part.
void Store(const WideMatrix& matrix, Literal& literal, int64_t first);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_LAPACK_WIDE_MATRIX_H_
