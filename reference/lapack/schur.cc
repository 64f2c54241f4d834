// SPDX-License-Identifier: Apache-2.0
// Implements the Schur decomposition and the eigenvectors of general matrices by implicit double
// shifts. On a real matrix all numbers stay real.
#include <algorithm>
#include <cmath>

#include "reference/lapack/factorizations.h"

namespace hlocts::reference {
namespace {

constexpr long double kUlp = 1e-19L;  // an ulp of long double
constexpr int kStepsPerRow = 60;      // about three steps are enough
constexpr int kExceptional = 10;      // steps without convergence before an exceptional shift

// The decomposition A = Z T Z^H, which holds after each step. Z is unitary.
struct SchurForm {
  WideMatrix& t;
  WideMatrix& z;
  bool real;
};

// Applies the Hermitian reflection that turns x into a multiple of e_1 to the rows of T from `at`
// on, and to the columns of T and Z.
void ReflectSimilarly(const std::vector<Wide>& x, int64_t at, SchurForm& form) {
  const int64_t count = static_cast<int64_t>(x.size()), n = form.t.rows;
  std::vector<Wide> v = x;
  long double below = 0;
  for (int64_t i = 1; i < count; ++i) below += std::norm(x[i]);
  if (below == 0) return;
  const long double length = std::sqrt(std::norm(x[0]) + below);
  v[0] += x[0] == Wide(0) ? Wide(length) : x[0] / std::abs(x[0]) * length;
  const long double factor = 2 / (std::norm(v[0]) + below);
  for (int64_t j = 0; j < n; ++j) {
    Wide dot = 0;
    for (int64_t i = 0; i < count; ++i) dot += std::conj(v[i]) * form.t(at + i, j);
    for (int64_t i = 0; i < count; ++i) form.t(at + i, j) -= factor * dot * v[i];
  }
  for (WideMatrix* matrix : {&form.t, &form.z}) {
    for (int64_t j = 0; j < n; ++j) {
      Wide dot = 0;
      for (int64_t i = 0; i < count; ++i) dot += (*matrix)(j, at + i) * v[i];
      for (int64_t i = 0; i < count; ++i) (*matrix)(j, at + i) -= factor * dot * std::conj(v[i]);
    }
  }
}

void MakeHessenberg(SchurForm& form) {
  const int64_t n = form.t.rows;
  for (int64_t k = 0; k + 2 < n; ++k) {
    std::vector<Wide> x;
    for (int64_t i = k + 1; i < n; ++i) x.push_back(form.t(i, k));
    ReflectSimilarly(x, k + 1, form);
    for (int64_t i = k + 2; i < n; ++i) form.t(i, k) = 0;
  }
}

// Makes the block of rows i and i + 1 triangular. In a real form, a block with conjugate
// eigenvalues gets equal elements on its diagonal instead.
void SplitBlock(int64_t i, SchurForm& form) {
  WideMatrix& t = form.t;
  const Wide b = t(i, i + 1), c = t(i + 1, i), p = (t(i, i) - t(i + 1, i + 1)) / 2.0L;
  const Wide squared = p * p + b * c;
  if (form.real && squared.real() < 0) {
    const long double angle = std::atan2(-2 * p.real(), (b + c).real()) / 2;
    ReflectSimilarly({std::cos(angle), std::sin(angle)}, i, form);
    t(i, i) = t(i + 1, i + 1) = (t(i, i) + t(i + 1, i + 1)) / 2.0L;
    return;
  }
  Wide root = std::sqrt(squared);
  if (std::abs(p - root) > std::abs(p + root)) root = -root;
  ReflectSimilarly({p + root, c}, i, form);
  t(i + 1, i) = 0;
}

// Performs a double-shift step on the rows lo .. hi (at least three rows).
void ShiftedStep(int64_t lo, int64_t hi, bool exceptional, SchurForm& form) {
  WideMatrix& t = form.t;
  Wide sum = t(hi - 1, hi - 1) + t(hi, hi);
  Wide product = t(hi - 1, hi - 1) * t(hi, hi) - t(hi - 1, hi) * t(hi, hi - 1);
  if (exceptional) {
    const long double size = std::abs(t(hi, hi - 1)) + std::abs(t(hi - 1, hi - 2));
    sum = 1.5L * size, product = size * size;
  }
  std::vector<Wide> x = {t(lo, lo) * (t(lo, lo) - sum) + t(lo, lo + 1) * t(lo + 1, lo) + product,
                         t(lo + 1, lo) * (t(lo, lo) + t(lo + 1, lo + 1) - sum),
                         t(lo + 1, lo) * t(lo + 2, lo + 1)};
  for (int64_t k = lo; k < hi; ++k) {
    const int64_t last = std::min(k + 2, hi);
    if (k > lo) {
      x.clear();
      for (int64_t i = k; i <= last; ++i) x.push_back(t(i, k - 1));
    }
    ReflectSimilarly(x, k, form);
    for (int64_t i = k + 1; k > lo && i <= last; ++i) t(i, k - 1) = 0;
  }
}

}  // namespace

int64_t DecomposeSchur(WideMatrix& t, bool real, WideMatrix& z) {
  const int64_t n = t.rows;
  const long double size = OneNorm(t);
  z = WideMatrix::Identity(n, n);
  SchurForm form{t, z, real};
  MakeHessenberg(form);
  int steps = 0;
  for (int64_t hi = n - 1; hi > 0;) {
    int64_t lo = hi;
    for (; lo > 0; --lo) {
      const long double around = std::abs(t(lo - 1, lo - 1)) + std::abs(t(lo, lo));
      if (std::abs(t(lo, lo - 1)) <= kUlp * (around == 0 ? size : around)) break;
    }
    if (lo > 0) t(lo, lo - 1) = 0;
    if (lo + 1 < hi) {
      if (++steps > kStepsPerRow) return hi + 1;
      ShiftedStep(lo, hi, steps % kExceptional == 0, form);
      continue;
    }
    if (lo < hi) SplitBlock(lo, form);
    hi = lo - 1;
    steps = 0;
  }
  return 0;
}

WideMatrix DiagonalEigenvalues(const WideMatrix& t) {
  WideMatrix values = WideMatrix::Zero(1, t.rows);
  for (int64_t i = 0; i < t.rows; ++i) {
    values(0, i) = t(i, i);
    if (i + 1 == t.rows || t(i + 1, i) == Wide(0)) continue;
    const long double part = std::sqrt(std::abs(t(i, i + 1))) * std::sqrt(std::abs(t(i + 1, i)));
    values(0, i) = {t(i, i).real(), part};
    values(0, i + 1) = std::conj(values(0, i));
    ++i;
  }
  return values;
}

namespace {

// Returns the eigenvectors of an upper triangular matrix as columns. A difference of eigenvalues
// that vanishes is replaced by an ulp, as if the matrix had that error.
WideMatrix TriangularEigenvectors(const WideMatrix& t) {
  const long double least = std::max(kUlp * OneNorm(t), 1e-4000L);
  WideMatrix v = WideMatrix::Identity(t.rows, t.rows);
  for (int64_t j = 0; j < t.rows; ++j) {
    for (int64_t i = j - 1; i >= 0; --i) {
      Wide x = 0, apart = t(j, j) - t(i, i);
      for (int64_t k = i + 1; k <= j; ++k) x += t(i, k) * v(k, j);
      if (std::abs(apart) < least) apart = least;
      v(i, j) = x / apart;
    }
  }
  return v;
}

// Gives each column the length 1 and a real largest element.
void Normalise(WideMatrix& v) {
  for (int64_t j = 0; j < v.columns; ++j) {
    Wide most = 0;
    for (int64_t i = 0; i < v.rows; ++i) {
      if (std::abs(v(i, j)) > std::abs(most)) most = v(i, j);
    }
    long double squares = 0;
    for (int64_t i = 0; i < v.rows; ++i) squares += std::norm(v(i, j) /= most);
    for (int64_t i = 0; i < v.rows; ++i) v(i, j) /= std::sqrt(squares);
  }
}

}  // namespace

int64_t DecomposeEigen(const WideMatrix& a, bool real, WideMatrix& values, WideMatrix& left,
                       WideMatrix& right) {
  WideMatrix t = a, z, t2, z2;
  const int64_t info = DecomposeSchur(t, real, z);
  t2 = t;
  if (real) {  // blocks of two rows become triangular
    DecomposeSchur(t2, /*real=*/false, z2);
    z = Product(z, z2);
  }
  right = Product(z, TriangularEigenvectors(t2));
  // T^H is lower triangular; with rows and columns reversed, it is upper triangular.
  left = Product(z, Reversed(TriangularEigenvectors(Reversed(ConjugateTransposed(t2)))));
  Normalise(left);
  Normalise(right);
  values = DiagonalEigenvalues(t);
  for (int64_t j = 0; real && j < t.rows; ++j) {
    const bool pair = values(0, j).imag() != 0;
    for (WideMatrix* v : {&left, &right}) {
      for (int64_t i = 0; i < t.rows; ++i) {
        if (pair) (*v)(i, j + 1) = std::conj((*v)(i, j));
        if (!pair) (*v)(i, j) = (*v)(i, j).real();
      }
    }
    j += pair ? 1 : 0;
  }
  return info;
}

}  // namespace hlocts::reference
