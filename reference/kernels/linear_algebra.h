// SPDX-License-Identifier: Apache-2.0
// Computes Cholesky and triangular-solve of one matrix in the computation type W: double, long
// double or a complex type of one of them. Only the given triangle is read.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

namespace hlocts::reference {

inline double Conjugate(double x) { return x; }
inline long double Conjugate(long double x) { return x; }
template <typename T>
std::complex<T> Conjugate(std::complex<T> x) {
  return std::conj(x);
}
inline double RealPart(double x) { return x; }
inline long double RealPart(long double x) { return x; }
template <typename T>
T RealPart(std::complex<T> x) {
  return x.real();
}

// Computes l with a = l * conjugate transpose(l), by rows (cholesky.6-9). at(i, j), i >= j, returns
// the lower triangle of a. Stores in `l` the n*n elements in row-major order, with zeros above the
// diagonal. Returns false if a is found not to be positive definite.
template <typename W, typename At>
bool CholeskyKernel(int64_t n, At&& at, std::vector<W>& l) {
  l.assign(n * n, W(0));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      W sum = at(i, j);
      const W *row_i = l.data() + i * n, *row_j = l.data() + j * n;
      for (int64_t k = 0; k < j; ++k) sum -= row_i[k] * Conjugate(row_j[k]);
      if (j < i) {
        l[i * n + j] = sum / RealPart(row_j[j]);
        continue;
      }
      // The imaginary part of a Hermitian diagonal is treated as zero.
      if (!(RealPart(sum) > 0)) return false;
      l[i * n + i] = W(std::sqrt(RealPart(sum)));
    }
  }
  return true;
}

// Computes x with t * x = b for a triangular t, by substitution (triangular_solve.1). at(i, j)
// returns t(i, j), and `lower` selects the triangle. On entry, x[i * stride] is element i of b.
template <typename W, typename At>
void SubstituteKernel(int64_t n, bool lower, bool unit_diagonal, At&& at, W* x, int64_t stride) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    W sum = x[i * stride];
    for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : n); ++j) sum -= at(i, j) * x[j * stride];
    x[i * stride] = unit_diagonal ? sum : sum / at(i, i);
  }
}

}  // namespace hlocts::reference
