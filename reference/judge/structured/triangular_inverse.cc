// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/structured/triangular_inverse.h"

#include <cmath>

#include "reference/kernels/linear_algebra.h"

namespace hlocts::reference {
namespace {

Magnitudes Absolute(int64_t n, const std::vector<Complex>& elements) {
  Magnitudes result{n, std::vector<double>(elements.size())};
  for (size_t i = 0; i < elements.size(); ++i) result.at[i] = std::abs(elements[i]);
  return result;
}

std::vector<Complex> Inverse(int64_t n, const std::vector<Complex>& t, bool lower) {
  std::vector<Complex> x(t.size());
  auto at = [&](int64_t i, int64_t j) { return t[i * n + j]; };
  for (int64_t c = 0; c < n; ++c) {
    x[c * n + c] = 1;
    SubstituteKernel<Complex>(n, lower, false, at, x.data() + c, n);
  }
  return x;
}

// Returns y with (I - a m) y = x, for a triangular m >= 0 such that a m has a diagonal below 1.
Magnitudes Amplified(const Magnitudes& m, double a, const Magnitudes& x, bool lower) {
  Magnitudes y = x;
  auto at = [&](int64_t i, int64_t j) { return (i == j ? 1.0 : 0.0) - a * m.at[i * m.n + j]; };
  for (int64_t c = 0; c < m.n; ++c) {
    SubstituteKernel<double>(m.n, lower, false, at, y.at.data() + c, m.n);
  }
  return y;
}

bool Reaches(const Magnitudes& m, double most) {
  for (double x : m.at) {
    if (!(x < most)) return true;
  }
  return false;
}

}  // namespace

std::vector<double> Magnitudes::Times(const std::vector<double>& x) const {
  std::vector<double> y(static_cast<size_t>(n), 0);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      if (at[i * n + j] != 0) y[i] += at[i * n + j] * x[j];
    }
  }
  return y;
}

Magnitudes Magnitudes::Times(const Magnitudes& other) const {
  Magnitudes product{n, std::vector<double>(at.size(), 0)};
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < n; ++k) {
      const double factor = at[i * n + k];
      if (factor == 0) continue;
      for (int64_t j = 0; j < n; ++j) product.at[i * n + j] += factor * other.at[k * n + j];
    }
  }
  return product;
}

TriangularInverse::TriangularInverse(int64_t n, const std::vector<Complex>& t, bool lower,
                                     double bound)
    : bound_(bound), matrix_(Absolute(n, t)), inverse_(Absolute(n, Inverse(n, t, lower))) {
  // K has ones on its diagonal, up to roundings in f64, so 2 * bound must be below 1.
  bounded_ = 2 * bound < 1 - 0x1p-20;
  if (!bounded_) return;
  grown_ = Amplified(inverse_.Times(matrix_), 2 * bound, inverse_, lower);
}

// Returns true if an element of an intermediate inverse may reach `most`. For any division into
// blocks and any order, such an element is at most one of Y, of Y T or T Y (if rows or columns are
// divided by the diagonal first), or of Y T Y (off-diagonal blocks).
bool TriangularInverse::MayReach(double most) const {
  const Magnitudes right = matrix_.Times(grown_);
  return Reaches(grown_, most) || Reaches(right, most) || Reaches(grown_.Times(matrix_), most) ||
         Reaches(grown_.Times(right), most);
}

std::vector<double> TriangularInverse::Residual(const std::vector<double>& v) const {
  std::vector<double> result = matrix_.Times(grown_.Times(v));
  for (double& x : result) x *= bound_;
  return result;
}

}  // namespace hlocts::reference
