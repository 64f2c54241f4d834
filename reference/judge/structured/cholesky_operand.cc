// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/structured/cholesky_operand.h"

#include <algorithm>
#include <cmath>

namespace hlocts::reference {
namespace {

void EncloseMatrix(const SetArray& array, int64_t b, CholeskyOperand& operand) {
  const int64_t n = array.shape().dimension(-1);
  double* middles = reinterpret_cast<double*>(operand.middle.mutable_raw_data());
  double* radii = operand.radius.mutable_data<double>().data();
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const int64_t place = operand.PlaceOf(b, i, j);
      for (int c = 0; c < array.components(); ++c) {
        double middle = 0, radius = 0;
        bool known = EnclosePart(array.At(place, c), middle, radius);
        // A Hermitian matrix has a real diagonal (cholesky.14, ruling 0031).
        if (i == j && c == 1) known = known && middle == 0 && radius == 0;
        if (!known) operand.free[b] = true;
        middles[place * array.components() + c] = known ? middle : 0;
        radii[place] += known ? radius : 0;
      }
    }
  }
}

}  // namespace

Matrix CholeskyOperand::HermitianOf(int64_t b) const {
  const int64_t n = middle.shape().dimension(-1);
  Matrix m = Matrix::Zero(n, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      Complex x = ElementAt(middle, PlaceOf(b, i, j));
      if (!lower) x = std::conj(x);
      if (i == j) x = x.real();
      m(i, j) = x;
      m(j, i) = std::conj(x);
    }
  }
  return m;
}

double CholeskyOperand::RadiusOf(int64_t b, int64_t i, int64_t j) const {
  if (radius.element_count() == 0) return 0;
  return radius.data<double>()[PlaceOf(b, std::max(i, j), std::min(i, j))];
}

CholeskyOperand CholeskyOperandOf(const SetArray& array, bool lower) {
  const int64_t n = array.shape().dimension(-1);
  const int64_t batches = n == 0 ? 0 : array.element_count() / (n * n);
  CholeskyOperand operand;
  operand.lower = lower;
  operand.free.assign(batches, false);
  if (array.exact()) {
    operand.middle = array.literal();
    operand.radius = Literal(Shape(PrimitiveType::kF64, {0}));
    for (int64_t b = 0; b < batches; ++b) {
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j <= i; ++j) {
          const Complex x = ElementAt(operand.middle, operand.PlaceOf(b, i, j));
          const bool finite = std::isfinite(x.real()) && std::isfinite(x.imag());
          if (!finite || (i == j && x.imag() != 0)) operand.free[b] = true;
        }
      }
    }
    return operand;
  }
  operand.middle = Literal(array.shape().WithElementType(WideType(array.element_type())));
  operand.radius = Literal(array.shape().WithElementType(PrimitiveType::kF64));
  for (int64_t b = 0; b < batches; ++b) EncloseMatrix(array, b, operand);
  return operand;
}

}  // namespace hlocts::reference
