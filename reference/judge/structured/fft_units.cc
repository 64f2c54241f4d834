// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/structured/fft_units.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hlocts::reference {
namespace {

// Prime lengths are transformed by the definition up to kSmoothMax, and may be up to kDirectMax.
constexpr int64_t kSmoothMax = 13, kDirectMax = 127;

std::vector<int64_t> PrimeFactors(int64_t n) {
  std::vector<int64_t> factors;
  for (int64_t p = 2; p * p <= n; ++p) {
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

// Returns the units of a transform by prime factors: each step uses twiddles and the definition.
double UnitsOfSteps(int64_t n, double level) {
  double units = 0;
  for (int64_t factor : PrimeFactors(n)) {
    const double r = static_cast<double>(factor);
    units += (level - 1) * (factor == 2 ? 1 : 1 + std::sqrt(r)) + (r - 1);
  }
  return units;
}

// Returns the units of a convolution with a chirp: three longer, smooth transforms and products.
double UnitsOfChirp(int64_t n, double level, const Bounds& bounds) {
  const double levels = std::log2(static_cast<double>(n)) + bounds.ChirpPadding();
  const double transforms = 3 * bounds.SmoothSteps() * level * levels;
  return 2 * (level - 1) + bounds.ChirpSpectrum() * (level - 1 + transforms);
}

int64_t LargestPrimeFactor(int64_t n) { return n < 2 ? 1 : PrimeFactors(n).back(); }

double UnitsOfTransform(int64_t n, double level, const Bounds& bounds) {
  const int64_t largest = LargestPrimeFactor(n);
  if (largest <= kSmoothMax) return UnitsOfSteps(n, level);
  if (largest > kDirectMax) return UnitsOfChirp(n, level, bounds);
  return std::max(UnitsOfSteps(n, level), UnitsOfChirp(n, level, bounds));
}

}  // namespace

TransformCost CostOf(const std::vector<int64_t>& lengths, double level, const Bounds& bounds) {
  TransformCost cost;
  int64_t largest = 2;
  double points = 1;
  for (int64_t n : lengths) {
    cost.units += UnitsOfTransform(n, level, bounds);
    largest = std::max(largest, LargestPrimeFactor(n));
    points *= static_cast<double>(n);
  }
  cost.flushes = bounds.FftFlushes() * std::sqrt(static_cast<double>(largest)) * points;
  // A convolution with a chirp, before it is scaled, has up to four times the points, and its
  // products may be larger by a factor of twice the points.
  if (largest > kSmoothMax) cost.reach = bounds.ChirpReach() * points * points;
  return cost;
}

}  // namespace hlocts::reference
