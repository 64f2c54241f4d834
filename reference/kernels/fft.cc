// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/fft.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

namespace hlocts::reference {
namespace {

constexpr int64_t kRadixMax = 61;  // lengths with larger prime factors use Bluestein's algorithm
constexpr size_t kPlansMax = 64;

template <typename Real>
FftNumber<Real> Times(FftNumber<Real> a, FftNumber<Real> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <typename Real>
FftNumber<Real> Plus(FftNumber<Real> a, FftNumber<Real> b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename Real>
FftNumber<Real> Minus(FftNumber<Real> a, FftNumber<Real> b) {
  return {a.re - b.re, a.im - b.im};
}

// Returns exp(-2 pi i k / n) for 0 <= k < n. Exact integer arithmetic reduces the angle to the
// first octant, as num / den of a turn.
template <typename Real>
FftNumber<Real> Root(int64_t k, int64_t n) {
  const bool below = 2 * k > n;  // the root is the conjugate of that for n - k
  if (below) k = n - k;
  const bool left = 4 * k > n;
  int64_t num = left ? n - 2 * k : 2 * k, den = 2 * n;
  const bool steep = 8 * num > den;
  num = steep ? den - 4 * num : 4 * num;
  den *= 4;
  const Real angle = 2 * static_cast<Real>(3.14159265358979323846264338327950288L) *
                     static_cast<Real>(num) / static_cast<Real>(den);
  Real re = std::cos(angle), im = std::sin(angle);
  if (steep) std::swap(re, im);
  return {left ? -re : re, below ? im : -im};
}

// Returns radices of n: fours, then a two and odd primes. Empty if a factor is too large.
std::vector<int64_t> RadicesOf(int64_t n) {
  std::vector<int64_t> radices;
  for (; n % 4 == 0; n /= 4) radices.push_back(4);
  for (int64_t radix = 2; n > 1 && radix <= kRadixMax; ++radix) {
    for (; n % radix == 0; n /= radix) radices.push_back(radix);
  }
  if (n > 1) radices.clear();
  return radices;
}

}  // namespace

template <typename Real>
FftPlan<Real>::FftPlan(int64_t n) : n_(n), radices_(RadicesOf(n)) {
  if (n == 1) return;
  if (!radices_.empty()) {
    for (int64_t k = 0; k < n; ++k) roots_.push_back(Root<Real>(k, n));
    return;
  }
  int64_t size = 1;
  while (size < 2 * n - 1) size *= 2;
  bluestein_ = Of(size);
  chirp_spectrum_.assign(size, Number());
  for (int64_t k = 0; k < n; ++k) {
    const auto square = static_cast<unsigned __int128>(k) * static_cast<unsigned __int128>(k);
    chirp_.push_back(Root<Real>(static_cast<int64_t>(square % (2 * n)), 2 * n));
    const Number conjugate = {chirp_[k].re, -chirp_[k].im};
    chirp_spectrum_[k] = conjugate;
    if (k > 0) chirp_spectrum_[size - k] = conjugate;
  }
  std::vector<Number> scratch(bluestein_->scratch_size());
  bluestein_->Forward(chirp_spectrum_.data(), scratch.data());
}

template <typename Real>
std::shared_ptr<const FftPlan<Real>> FftPlan<Real>::Of(int64_t n) {
  static std::mutex mutex;
  static auto* plans = new std::map<int64_t, std::shared_ptr<const FftPlan>>();
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = plans->find(n);
    if (found != plans->end()) return found->second;
  }
  std::shared_ptr<const FftPlan> plan(new FftPlan(n));
  std::lock_guard<std::mutex> lock(mutex);
  if (plans->size() >= kPlansMax) plans->clear();
  (*plans)[n] = plan;
  return plan;
}

// Performs a pass of radix r; `stride` is the product of earlier radices. With m = n / (r *
// stride), replaces each group of r numbers, m * stride apart, by its r-point transform times roots
// of unity.
template <typename Real>
void FftPlan<Real>::Pass(int64_t r, int64_t stride, const Number* from, Number* to) const {
  const int64_t m = n_ / (r * stride);
  Number in[kRadixMax];
  for (int64_t p = 0; p < m; ++p) {
    for (int64_t q = 0; q < stride; ++q) {
      for (int64_t k = 0; k < r; ++k) in[k] = from[q + stride * (p + m * k)];
      for (int64_t j = 0; j < r; ++j) {
        Number sum = in[0];
        for (int64_t k = 1; k < r; ++k) {
          sum = Plus(sum, Times(in[k], roots_[j * k % r * (n_ / r)]));
        }
        to[q + stride * (r * p + j)] = j * p == 0 ? sum : Times(sum, roots_[j * p * stride]);
      }
    }
  }
}

template <typename Real>
void FftPlan<Real>::PassOfTwo(int64_t stride, const Number* from, Number* to) const {
  const int64_t m = n_ / (2 * stride);
  for (int64_t p = 0; p < m; ++p) {
    const Number turn = roots_[p * stride];
    const Number *a = from + stride * p, *b = a + stride * m;
    Number* out = to + stride * 2 * p;
    for (int64_t q = 0; q < stride; ++q) {
      out[q] = Plus(a[q], b[q]);
      out[q + stride] = Times(Minus(a[q], b[q]), turn);
    }
  }
}

template <typename Real>
void FftPlan<Real>::PassOfFour(int64_t stride, const Number* from, Number* to) const {
  const int64_t m = n_ / (4 * stride);
  for (int64_t p = 0; p < m; ++p) {
    const Number turn1 = roots_[p * stride], turn2 = roots_[2 * p * stride],
                 turn3 = roots_[3 * p * stride];
    const Number* in = from + stride * p;
    Number* out = to + stride * 4 * p;
    for (int64_t q = 0; q < stride; ++q) {
      const Number a = in[q], b = in[q + stride * m], c = in[q + 2 * stride * m],
                   d = in[q + 3 * stride * m];
      const Number sum = Plus(a, c), difference = Minus(a, c), other = Plus(b, d);
      const Number turned = {b.im - d.im, d.re - b.re};  // -i (b - d)
      out[q] = Plus(sum, other);
      out[q + stride] = Times(Plus(difference, turned), turn1);
      out[q + 2 * stride] = Times(Minus(sum, other), turn2);
      out[q + 3 * stride] = Times(Minus(difference, turned), turn3);
    }
  }
}

// Computes X_k = chirp_k * sum over j of (x_j chirp_j) conj(chirp_(k-j)), because jk = (j^2 + k^2 -
// (k-j)^2)/2.
template <typename Real>
void FftPlan<Real>::Convolve(Number* data, Number* scratch) const {
  const int64_t size = bluestein_->n_;
  Number *work = scratch, *more = scratch + size;
  for (int64_t k = 0; k < n_; ++k) work[k] = Times(data[k], chirp_[k]);
  std::fill(work + n_, work + size, Number());
  bluestein_->Forward(work, more);
  for (int64_t k = 0; k < size; ++k) work[k] = Times(work[k], chirp_spectrum_[k]);
  bluestein_->Backward(work, more);
  for (int64_t k = 0; k < n_; ++k) {
    const Number scaled = {work[k].re / static_cast<Real>(size),
                           work[k].im / static_cast<Real>(size)};
    data[k] = Times(scaled, chirp_[k]);
  }
}

template <typename Real>
void FftPlan<Real>::Forward(Number* data, Number* scratch) const {
  if (n_ == 1) return;
  if (bluestein_ != nullptr) {
    Convolve(data, scratch);
    return;
  }
  Number *from = data, *to = scratch;
  int64_t stride = 1;
  for (int64_t radix : radices_) {
    if (radix == 4) {
      PassOfFour(stride, from, to);
    } else if (radix == 2) {
      PassOfTwo(stride, from, to);
    } else {
      Pass(radix, stride, from, to);
    }
    stride *= radix;
    std::swap(from, to);
  }
  if (from != data) std::copy(from, from + n_, data);
}

// Exchanging real and imaginary parts before and after Forward changes the sign of the exponent.
template <typename Real>
void FftPlan<Real>::Backward(Number* data, Number* scratch) const {
  for (int64_t k = 0; k < n_; ++k) std::swap(data[k].re, data[k].im);
  Forward(data, scratch);
  for (int64_t k = 0; k < n_; ++k) std::swap(data[k].re, data[k].im);
}

template class FftPlan<double>;
template class FftPlan<long double>;

}  // namespace hlocts::reference
