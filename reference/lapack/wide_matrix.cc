// SPDX-License-Identifier: Apache-2.0
#include "reference/lapack/wide_matrix.h"

#include <algorithm>
#include <cmath>

#include "reference/made.h"

namespace hlocts::reference {

WideMatrix ConjugateTransposed(const WideMatrix& a) {
  WideMatrix result = WideMatrix::Zero(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) result(j, i) = std::conj(a(i, j));
  }
  return result;
}

WideMatrix Product(const WideMatrix& a, const WideMatrix& b) {
  WideMatrix result = WideMatrix::Zero(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t k = 0; k < a.columns; ++k) {
      const Wide x = a(i, k);
      if (x == Wide(0)) continue;
      for (int64_t j = 0; j < b.columns; ++j) result(i, j) += x * b(k, j);
    }
  }
  return result;
}

WideMatrix Difference(WideMatrix a, const WideMatrix& b) {
  for (size_t i = 0; i < a.at.size(); ++i) a.at[i] -= b.at[i];
  return a;
}

WideMatrix AbsoluteValues(WideMatrix a) {
  for (Wide& x : a.at) x = std::abs(x);
  return a;
}

WideMatrix TriangleFrom(const WideMatrix& a, bool lower, bool unit, int64_t rows, int64_t columns) {
  WideMatrix t = WideMatrix::Zero(rows, columns);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      if (i == j) t(i, j) = unit ? Wide(1) : a(i, j);
      if (lower ? i > j : i < j) t(i, j) = a(i, j);
    }
  }
  return t;
}

WideMatrix Reversed(const WideMatrix& a) {
  WideMatrix result = a;
  std::reverse(result.at.begin(), result.at.end());
  return result;
}

long double OneNorm(const WideMatrix& a) {
  long double most = 0;
  for (int64_t j = 0; j < a.columns; ++j) {
    long double sum = 0;
    for (int64_t i = 0; i < a.rows; ++i) sum += std::abs(a(i, j));
    if (std::isnan(sum)) return sum;  // std::max would lose the NaN
    most = std::max(most, sum);
  }
  return most;
}

namespace {

template <typename T>
void Load(const Literal& literal, int64_t first, std::vector<Wide>& out) {
  const absl::Span<const T> data = literal.data<T>().subspan(first, out.size());
  std::transform(data.begin(), data.end(), out.begin(), [](const T& x) { return Wide(x); });
}

template <typename T>
void StoreReal(const WideMatrix& matrix, Literal& literal, int64_t first) {
  T* out = literal.mutable_data<T>().data() + first;
  for (const Wide& x : matrix.at) *out++ = Made(static_cast<T>(x.real()));
}

template <typename T>
void StoreComplex(const WideMatrix& matrix, Literal& literal, int64_t first) {
  std::complex<T>* out = literal.mutable_data<std::complex<T>>().data() + first;
  for (const Wide& x : matrix.at) {
    *out++ = Made(std::complex<T>(static_cast<T>(x.real()), static_cast<T>(x.imag())));
  }
}

}  // namespace

WideMatrix MatrixOf(const Literal& literal, int64_t first, int64_t rows, int64_t columns) {
  WideMatrix result = WideMatrix::Zero(rows, columns);
  const PrimitiveType type = literal.element_type();
  if (type == PrimitiveType::kF32) Load<float>(literal, first, result.at);
  if (type == PrimitiveType::kF64) Load<double>(literal, first, result.at);
  if (type == PrimitiveType::kS32) Load<int32_t>(literal, first, result.at);
  if (type == PrimitiveType::kC64) Load<std::complex<float>>(literal, first, result.at);
  if (type == PrimitiveType::kC128) Load<std::complex<double>>(literal, first, result.at);
  return result;
}

void Store(const WideMatrix& matrix, Literal& literal, int64_t first) {
  const PrimitiveType type = literal.element_type();
  if (type == PrimitiveType::kF32) StoreReal<float>(matrix, literal, first);
  if (type == PrimitiveType::kF64) StoreReal<double>(matrix, literal, first);
  if (type == PrimitiveType::kS32) StoreReal<int32_t>(matrix, literal, first);
  if (type == PrimitiveType::kC64) StoreComplex<float>(matrix, literal, first);
  if (type == PrimitiveType::kC128) StoreComplex<double>(matrix, literal, first);
}

}  // namespace hlocts::reference
