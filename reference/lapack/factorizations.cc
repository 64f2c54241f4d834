// SPDX-License-Identifier: Apache-2.0
#include "reference/lapack/factorizations.h"

#include <algorithm>
#include <cmath>

namespace hlocts::reference {

WideMatrix HermitianFrom(const WideMatrix& a, bool lower) {
  WideMatrix result = a;
  for (int64_t i = 0; i < a.rows; ++i) {
    result(i, i) = a(i, i).real();
    for (int64_t j = 0; j < i; ++j) {
      const Wide x = lower ? a(i, j) : std::conj(a(j, i));
      result(i, j) = x;
      result(j, i) = std::conj(x);
    }
  }
  return result;
}

int64_t FactorCholesky(const WideMatrix& a, WideMatrix& l) {
  l = WideMatrix::Zero(a.rows, a.rows);
  for (int64_t j = 0; j < a.rows; ++j) {
    long double pivot = a(j, j).real();
    for (int64_t k = 0; k < j; ++k) pivot -= std::norm(l(j, k));
    if (!(pivot > 0)) return j + 1;
    l(j, j) = std::sqrt(pivot);
    for (int64_t i = j + 1; i < a.rows; ++i) {
      Wide x = a(i, j);
      for (int64_t k = 0; k < j; ++k) x -= l(i, k) * std::conj(l(j, k));
      l(i, j) = x / l(j, j).real();
    }
  }
  return 0;
}

namespace {

int64_t PivotRow(const WideMatrix& a, int64_t k) {
  const auto size = [&](int64_t i) { return std::abs(a(i, k).real()) + std::abs(a(i, k).imag()); };
  int64_t best = k;
  for (int64_t i = k + 1; i < a.rows; ++i) {
    if (size(i) > size(best)) best = i;
  }
  return best;
}

}  // namespace

int64_t FactorLu(WideMatrix& lu, std::vector<int64_t>& pivots) {
  int64_t info = 0;
  pivots.clear();
  for (int64_t k = 0; k < std::min(lu.rows, lu.columns); ++k) {
    const int64_t pivot = PivotRow(lu, k);
    pivots.push_back(pivot + 1);
    for (int64_t j = 0; pivot != k && j < lu.columns; ++j) std::swap(lu(k, j), lu(pivot, j));
    if (lu(k, k) == Wide(0)) {
      if (info == 0) info = k + 1;
      continue;
    }
    for (int64_t i = k + 1; i < lu.rows; ++i) {
      lu(i, k) /= lu(k, k);
      for (int64_t j = k + 1; j < lu.columns; ++j) lu(i, j) -= lu(i, k) * lu(k, j);
    }
  }
  return info;
}

void SolveTriangular(const WideMatrix& t, bool lower, bool unit, WideMatrix& b) {
  for (int64_t step = 0; step < t.rows; ++step) {
    const int64_t i = lower ? step : t.rows - 1 - step;
    for (int64_t c = 0; c < b.columns; ++c) {
      Wide x = b(i, c);
      for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : t.rows); ++j) x -= t(i, j) * b(j, c);
      b(i, c) = unit ? x : x / t(i, i);
    }
  }
}

namespace {

// Applies H^H from the left to the columns of `a` from `from` on. v is column k of `reflectors`
// with a one in row k.
void Reflect(const WideMatrix& reflectors, int64_t k, Wide factor, int64_t from, WideMatrix& a) {
  for (int64_t j = from; j < a.columns; ++j) {
    Wide dot = a(k, j);
    for (int64_t i = k + 1; i < a.rows; ++i) dot += std::conj(reflectors(i, k)) * a(i, j);
    dot *= factor;
    a(k, j) -= dot;
    for (int64_t i = k + 1; i < a.rows; ++i) a(i, j) -= dot * reflectors(i, k);
  }
}

}  // namespace

std::vector<Wide> FactorQr(WideMatrix& a) {
  std::vector<Wide> factors;
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    const Wide alpha = a(k, k);
    long double below = 0;
    for (int64_t i = k + 1; i < a.rows; ++i) below += std::norm(a(i, k));
    if (below == 0 && alpha.imag() == 0) {
      factors.push_back(0);
      continue;
    }
    const long double length = std::sqrt(std::norm(alpha) + below);
    const long double beta =
        alpha.real() > 0 || (alpha.real() == 0 && !std::signbit(alpha.real())) ? -length : length;
    const Wide tau = (beta - alpha) / beta;
    for (int64_t i = k + 1; i < a.rows; ++i) a(i, k) /= alpha - beta;
    Reflect(a, k, std::conj(tau), k + 1, a);
    a(k, k) = beta;
    factors.push_back(tau);
  }
  return factors;
}

WideMatrix ProductOfReflectors(const WideMatrix& a, const std::vector<Wide>& tau, int64_t columns) {
  WideMatrix q = WideMatrix::Identity(a.rows, columns);
  for (int64_t k = static_cast<int64_t>(tau.size()) - 1; k >= 0; --k) Reflect(a, k, tau[k], 0, q);
  return q;
}

}  // namespace hlocts::reference
