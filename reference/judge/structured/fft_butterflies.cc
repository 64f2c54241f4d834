// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/structured/fft_butterflies.h"

#include <algorithm>
#include <cmath>

namespace hlocts::reference {
namespace {

using Z = std::complex<double>;

// Exceeds the rounding error of the sums in this file, which is less than 2^-53 for each addition,
// relative to the sum of the magnitudes of all parts.
constexpr double kOwnRounding = 0x1p-40;

// Returns exp(-2 pi i k / n) or its conjugate for k < n/2.
std::vector<Z> Twiddles(size_t n, bool forward) {
  std::vector<Z> twiddles(n / 2);
  const double step = (forward ? -2 : 2) * M_PI / static_cast<double>(n);
  for (size_t k = 0; k < twiddles.size(); ++k) {
    twiddles[k] = {std::cos(step * static_cast<double>(k)),
                   std::sin(step * static_cast<double>(k))};
  }
  return twiddles;
}

// One level of a transform: turns `parts` transforms of `length` residues into twice as many
// transforms of half as many residues. LengthsOf sums the lengths of butterflies in one of them.
struct Level {
  size_t parts, length;

  double LengthsOf(const Z* from) const {
    const size_t half = length / 2;
    double sum = 0;
    for (size_t r = 0; r < half; ++r) {
      sum += std::sqrt(std::norm(from[r]) + std::norm(from[r + half]));
    }
    return std::sqrt(2.0) * sum;  // |(a + wb, a - wb)| = sqrt(2) |(a, b)|
  }

  void Combine(const std::vector<Z>& from, const std::vector<Z>& twiddles,
               std::vector<Z>& to) const {
    const size_t half = length / 2;
    for (size_t k = 0; k < parts; ++k) {
      const Z w = twiddles[k * half];
      const Z* a = from.data() + k * length;
      Z* sum = to.data() + k * half;
      Z* difference = to.data() + (k + parts) * half;
      for (size_t r = 0; r < half; ++r) {
        const Z b = a[r + half];
        const Z wb(w.real() * b.real() - w.imag() * b.imag(),
                   w.real() * b.imag() + w.imag() * b.real());
        sum[r] = a[r] + wb;
        difference[r] = a[r] - wb;
      }
    }
  }
};

// Returns a power of two that scales the largest part to about 1, so that squares stay in range.
double ScaleOf(absl::Span<const Z> x) {
  double most = 0;
  for (const Z& z : x) most = std::max({most, std::fabs(z.real()), std::fabs(z.imag())});
  int exponent = 0;
  std::frexp(most, &exponent);
  return std::ldexp(1.0, -std::max(exponent, -1000));
}

}  // namespace

Butterflies::Butterflies(size_t n, bool forward) : twiddles_(Twiddles(n, forward)) {}

std::vector<double> Butterflies::LengthsOf(absl::Span<const Z> x) const {
  const size_t n = x.size();
  std::vector<Z> from(x.begin(), x.end()), to(n);
  const double scale = ScaleOf(x);
  double magnitudes = 0;
  for (Z& z : from) {
    z *= scale;
    magnitudes += std::fabs(z.real()) + std::fabs(z.imag());
  }
  // Results with indices congruent modulo `parts` have the same butterflies up to that level.
  std::vector<double> behind(n, 0);
  for (Level level = {1, n}; level.length > 1; level = {level.parts * 2, level.length / 2}) {
    for (size_t k = 0; k < level.parts; ++k) {
      const double lengths = level.LengthsOf(from.data() + k * level.length);
      behind[k] += (lengths + kOwnRounding * magnitudes) / scale;
    }
    std::copy_n(behind.begin(), level.parts, behind.begin() + static_cast<int64_t>(level.parts));
    level.Combine(from, twiddles_, to);
    from.swap(to);
  }
  return behind;
}

}  // namespace hlocts::reference
