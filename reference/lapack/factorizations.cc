// SPDX-License-Identifier: Apache-2.0
#include "reference/lapack/factorizations.h"

#include <algorithm>
#include <cmath>

namespace hlocts::reference {

WideMatrix TridiagonalMatrix(const WideMatrix& below, const WideMatrix& diagonal,
                             const WideMatrix& above) {
  const int64_t n = diagonal.columns;
  WideMatrix a = WideMatrix::Zero(n, n);
  for (int64_t i = 0; i < n; ++i) {
    a(i, i) = diagonal(0, i);
    if (i > 0) a(i, i - 1) = below(0, i);
    if (i + 1 < n) a(i, i + 1) = above(0, i);
  }
  return a;
}

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

void SolveFactored(const WideMatrix& lu, const std::vector<int64_t>& pivots, WideMatrix& b) {
  for (int64_t i = 0; i < lu.rows; ++i) {
    for (int64_t j = 0; j < b.columns; ++j) std::swap(b(i, j), b(pivots[i] - 1, j));
  }
  SolveTriangular(lu, /*lower=*/true, /*unit=*/true, b);
  SolveTriangular(lu, /*lower=*/false, /*unit=*/false, b);
}

WideMatrix Inverse(WideMatrix a) {
  std::vector<int64_t> pivots;
  WideMatrix inverse = WideMatrix::Identity(a.rows, a.rows);
  if (FactorLu(a, pivots) != 0) return {};
  SolveFactored(a, pivots, inverse);
  return inverse;
}

namespace {

// Let x be column `column` of `a` from row `row` on. Replaces x by beta and by v without its
// leading 1, where H = I - tau v v^H satisfies H^H x = beta e_1. Returns tau.
Wide MakeReflector(WideMatrix& a, int64_t row, int64_t column) {
  const Wide alpha = a(row, column);
  long double below = 0;
  for (int64_t i = row + 1; i < a.rows; ++i) below += std::norm(a(i, column));
  if (below == 0 && alpha.imag() == 0) return 0;
  const long double length = std::sqrt(std::norm(alpha) + below);
  const bool positive = alpha.real() > 0 || (alpha.real() == 0 && !std::signbit(alpha.real()));
  const long double beta = positive ? -length : length;
  for (int64_t i = row + 1; i < a.rows; ++i) a(i, column) /= alpha - beta;
  a(row, column) = beta;
  return (beta - alpha) / beta;
}

// Multiplies the columns of `a` from `from` on by I - factor v v^H from the left. v is column k of
// `reflectors` with a one in row `top`. It may be a column of `a` before `from`.
void Reflect(const WideMatrix& reflectors, int64_t top, int64_t k, Wide factor, int64_t from,
             WideMatrix& a) {
  for (int64_t j = from; j < a.columns; ++j) {
    Wide dot = a(top, j);
    for (int64_t i = top + 1; i < a.rows; ++i) dot += std::conj(reflectors(i, k)) * a(i, j);
    dot *= factor;
    a(top, j) -= dot;
    for (int64_t i = top + 1; i < a.rows; ++i) a(i, j) -= dot * reflectors(i, k);
  }
}

void ExchangeColumns(WideMatrix& a, WideMatrix& pivots, int64_t i, int64_t j) {
  for (int64_t row = 0; row < a.rows; ++row) std::swap(a(row, i), a(row, j));
  std::swap(pivots(0, i), pivots(0, j));
}

// Moves the columns that the caller marked to the front and numbers all columns. Returns the count.
int64_t MoveMarkedColumns(WideMatrix& a, WideMatrix& pivots) {
  int64_t marked = 0;
  for (int64_t j = 0; j < a.columns; ++j) {
    const bool mark = pivots(0, j) != Wide(0);
    pivots(0, j) = static_cast<long double>(j + 1);
    if (mark) ExchangeColumns(a, pivots, j, marked++);
  }
  return marked;
}

// Returns the column from k on that is longest in the rows from k on.
int64_t LongestColumn(const WideMatrix& a, int64_t k) {
  int64_t best = k;
  long double most = -1;
  for (int64_t j = k; j < a.columns; ++j) {
    long double squares = 0;
    for (int64_t i = k; i < a.rows; ++i) squares += std::norm(a(i, j));
    if (squares > most) most = squares, best = j;
  }
  return best;
}

}  // namespace

std::vector<Wide> FactorQr(WideMatrix& a, WideMatrix* pivots) {
  const int64_t marked = pivots == nullptr ? 0 : MoveMarkedColumns(a, *pivots);
  std::vector<Wide> factors;
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    if (pivots != nullptr && k >= marked) ExchangeColumns(a, *pivots, k, LongestColumn(a, k));
    factors.push_back(MakeReflector(a, k, k));
    Reflect(a, k, k, std::conj(factors[k]), k + 1, a);
  }
  return factors;
}

WideMatrix ApplyReflectors(const WideMatrix& a, const std::vector<Wide>& tau, bool adjoint,
                           WideMatrix c) {
  const int64_t count = static_cast<int64_t>(tau.size());
  for (int64_t step = 0; step < count; ++step) {
    const int64_t k = adjoint ? step : count - 1 - step;
    Reflect(a, k, k, adjoint ? std::conj(tau[k]) : tau[k], 0, c);
  }
  return c;
}

WideMatrix ProductOfReflectors(const WideMatrix& a, const std::vector<Wide>& tau, int64_t columns) {
  return ApplyReflectors(a, tau, /*adjoint=*/false, WideMatrix::Identity(a.rows, columns));
}

WideMatrix ApplyQ(const LapackCall& call, const WideMatrix& a, const WideMatrix& tau,
                  const WideMatrix& c) {
  const bool adjoint = call.transpose != 'N';
  if (call.left) return ApplyReflectors(a, tau.at, adjoint, c);
  return ConjugateTransposed(ApplyReflectors(a, tau.at, !adjoint, ConjugateTransposed(c)));
}

std::vector<Wide> FactorHessenberg(WideMatrix& a) {
  std::vector<Wide> factors;
  for (int64_t k = 0; k + 1 < a.rows; ++k) {
    const Wide tau = MakeReflector(a, k + 1, k);
    Reflect(a, k + 1, k, std::conj(tau), k + 1, a);
    WideMatrix rows = ConjugateTransposed(a);  // A H = (H^H A^H)^H
    Reflect(a, k + 1, k, std::conj(tau), 0, rows);
    a = ConjugateTransposed(rows);
    factors.push_back(tau);
  }
  return factors;
}

WideMatrix HessenbergVectors(const WideMatrix& packed, const std::vector<Wide>& tau) {
  WideMatrix q = WideMatrix::Identity(packed.rows, packed.rows);
  for (int64_t k = packed.rows - 2; k >= 0; --k) Reflect(packed, k + 1, k, tau[k], 0, q);
  return q;
}

}  // namespace hlocts::reference
