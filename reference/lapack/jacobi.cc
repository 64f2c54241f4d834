// SPDX-License-Identifier: Apache-2.0
// Implements Jacobi's methods: plane rotations, repeated until their effect is below the precision.
// The methods are slow, but accurate to the last digits.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "reference/lapack/factorizations.h"

namespace hlocts::reference {
namespace {

constexpr int kSweepsMax = 64;               // about six sweeps are enough
constexpr long double kNegligible = 1e-20L;  // below half an ulp of long double

// The unitary matrix [c, s; -conj(s), c] that diagonalises [p, x; conj(x), q] from both sides.
struct Rotation {
  long double c = 1;
  Wide s = 0;
};

Rotation RotationFor(long double p, long double q, const Wide& x) {
  const long double size = std::abs(x);
  if (size == 0) return {};
  const long double theta = (q - p) / (2 * size);
  const long double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
  const long double c = 1 / std::sqrt(t * t + 1);
  return {c, x / size * (t * c)};
}

// Replaces columns i and j of `a` by c a_i - conj(s) a_j and s a_i + c a_j.
void RotateColumns(const Rotation& r, int64_t i, int64_t j, WideMatrix& a) {
  for (int64_t k = 0; k < a.rows; ++k) {
    const Wide x = a(k, i), y = a(k, j);
    a(k, i) = r.c * x - std::conj(r.s) * y;
    a(k, j) = r.s * x + r.c * y;
  }
}

void RotateRows(const Rotation& r, int64_t i, int64_t j, WideMatrix& a) {
  for (int64_t k = 0; k < a.columns; ++k) {
    const Wide x = a(i, k), y = a(j, k);
    a(i, k) = r.c * x - r.s * y;
    a(j, k) = std::conj(r.s) * x + r.c * y;
  }
}

std::vector<int64_t> Order(const std::vector<long double>& values, bool ascending) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    return ascending ? values[i] < values[j] : values[i] > values[j];
  });
  return order;
}

WideMatrix Columns(const WideMatrix& a, const std::vector<int64_t>& order) {
  WideMatrix result = WideMatrix::Zero(a.rows, static_cast<int64_t>(order.size()));
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < result.columns; ++j) result(i, j) = a(i, order[j]);
  }
  return result;
}

// Subtracts from column j its projections onto the previous columns and returns its new length.
long double Orthogonalise(WideMatrix& q, int64_t j) {
  for (int64_t k = 0; k < j; ++k) {
    Wide dot = 0;
    for (int64_t i = 0; i < q.rows; ++i) dot += std::conj(q(i, k)) * q(i, j);
    for (int64_t i = 0; i < q.rows; ++i) q(i, j) -= dot * q(i, k);
  }
  long double squares = 0;
  for (int64_t i = 0; i < q.rows; ++i) squares += std::norm(q(i, j));
  return std::sqrt(squares);
}

// Replaces the columns from `from` on by unit vectors orthogonal to the previous columns. Each is
// computed from the axis that keeps most of its length.
void CompleteBasis(WideMatrix& q, int64_t from) {
  for (int64_t j = from; j < q.columns; ++j) {
    long double most = -1;
    int64_t best = 0;
    const auto set_axis = [&](int64_t axis) {
      for (int64_t i = 0; i < q.rows; ++i) q(i, j) = i == axis ? 1 : 0;
    };
    for (int64_t axis = 0; axis < q.rows; ++axis) {
      set_axis(axis);
      const long double length = Orthogonalise(q, j);
      if (length > most) most = length, best = axis;
    }
    set_axis(best);
    Orthogonalise(q, j);
    const long double length = Orthogonalise(q, j);  // a second pass is enough
    for (int64_t i = 0; i < q.rows; ++i) q(i, j) /= length;
  }
}

}  // namespace

// Sweeps over all pairs of columns until a sweep rotates none.
template <class Rotate>
void RotateAll(int64_t n, const Rotate& rotate) {
  bool rotated = true;
  for (int sweep = 0; sweep < kSweepsMax && rotated; ++sweep) {
    rotated = false;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i + 1; j < n; ++j) rotated = rotate(i, j) || rotated;
    }
  }
}

// Makes columns i and j of w orthogonal. Returns false if they already are.
bool RotateColumnPair(int64_t i, int64_t j, WideMatrix& w, WideMatrix& v) {
  long double p = 0, q = 0;
  Wide x = 0;
  for (int64_t k = 0; k < w.rows; ++k) {
    p += std::norm(w(k, i)), q += std::norm(w(k, j));
    x += std::conj(w(k, i)) * w(k, j);
  }
  if (std::abs(x) <= kNegligible * std::sqrt(p) * std::sqrt(q)) return false;
  const Rotation r = RotationFor(p, q, x);
  RotateColumns(r, i, j, w);
  RotateColumns(r, i, j, v);
  return true;
}

void DecomposeHermitian(WideMatrix a, WideMatrix& vectors, std::vector<long double>& values) {
  const int64_t n = a.rows;
  WideMatrix v = WideMatrix::Identity(n, n);
  const long double least = kNegligible * OneNorm(a);
  RotateAll(n, [&](int64_t i, int64_t j) {
    if (std::abs(a(i, j)) <= least) return false;
    const Rotation r = RotationFor(a(i, i).real(), a(j, j).real(), a(i, j));
    RotateColumns(r, i, j, a);
    RotateRows(r, i, j, a);
    RotateColumns(r, i, j, v);
    return true;
  });
  std::vector<long double> diagonal(n);
  for (int64_t i = 0; i < n; ++i) diagonal[i] = a(i, i).real();
  const std::vector<int64_t> order = Order(diagonal, /*ascending=*/true);
  vectors = Columns(v, order);
  values.clear();
  for (int64_t i : order) values.push_back(diagonal[i]);
}

void DecomposeSingular(const WideMatrix& a, WideMatrix& u, std::vector<long double>& values,
                       WideMatrix& v) {
  if (a.rows < a.columns) {
    DecomposeSingular(ConjugateTransposed(a), v, values, u);
    return;
  }
  const int64_t n = a.columns;
  WideMatrix w = a;
  v = WideMatrix::Identity(n, n);
  RotateAll(n, [&](int64_t i, int64_t j) { return RotateColumnPair(i, j, w, v); });
  std::vector<long double> lengths(n);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < w.rows; ++i) lengths[j] += std::norm(w(i, j));
    lengths[j] = std::sqrt(lengths[j]);
  }
  const std::vector<int64_t> order = Order(lengths, /*ascending=*/false);
  v = Columns(v, order);
  values.clear();
  u = WideMatrix::Zero(w.rows, w.rows);
  int64_t rank = 0;
  for (int64_t j = 0; j < n; ++j) {
    const long double length = lengths[order[j]];
    values.push_back(length);
    if (length == 0 || length <= kNegligible * values[0]) continue;
    for (int64_t i = 0; i < w.rows; ++i) u(i, j) = w(i, order[j]) / length;
    rank = j + 1;
  }
  CompleteBasis(u, rank);
}

}  // namespace hlocts::reference
