// SPDX-License-Identifier: Apache-2.0
// The factors and twiddles of transforms of one length.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace hlocts::kernels {

// Lengths with a larger prime factor use Bluestein's algorithm.
inline constexpr int64_t kLargestRadix = 61;

// Returns exp(-2 pi i numerator / denominator). Each part is rounded once to T.
template <typename T>
std::complex<T> Root(int64_t numerator, int64_t denominator) {
  using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  constexpr Wide kTwoPi = 6.283185307179586476925286766559005768L;
  const Wide angle = kTwoPi * static_cast<Wide>(numerator % denominator) / denominator;
  return {static_cast<T>(std::cos(angle)), static_cast<T>(-std::sin(angle))};
}

template <typename T>
struct FftStage {
  int radix;
  int64_t m;                              // length that remains after the stage
  std::vector<std::complex<T>> twiddles;  // [p][k - 1]: root of (m * radix) to the power p * k
  std::vector<std::complex<T>> roots;     // roots of the radix if it has no butterfly
};

template <typename T>
struct FftPlan {
  int64_t n = 1;
  std::vector<FftStage<T>> stages;
};

// Returns the factors of n, first the fours, or nothing if n is 1. The last factor may be a prime
// above kLargestRadix.
inline std::vector<int64_t> FactorsOf(int64_t n) {
  std::vector<int64_t> factors;
  for (int64_t f : {4, 2, 3, 5}) {
    for (; n % f == 0; n /= f) factors.push_back(f);
  }
  for (int64_t f = 7; f * f <= n; f += 2) {
    for (; n % f == 0; n /= f) factors.push_back(f);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

inline bool HasLargePrime(int64_t n) {
  for (int64_t f : FactorsOf(n)) {
    if (f > kLargestRadix) return true;
  }
  return false;
}

// A cache of values by key. When it is full, all values are removed. If `make` fails (returns
// null), the next call tries again.
template <typename Value>
class FftCache {
 public:
  template <typename Make>
  std::shared_ptr<const Value> Get(int64_t key, Make make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<const Value>& entry = entries_[key];
    if (entry != nullptr) return entry;
    std::shared_ptr<const Value> made = make();
    if (entries_.size() > 64) entries_.clear();
    entries_[key] = made;
    return made;
  }

 private:
  std::mutex mutex_;
  std::map<int64_t, std::shared_ptr<const Value>> entries_;
};

template <typename T>
std::shared_ptr<const FftPlan<T>> PlanOfLength(int64_t n) {
  static auto* cache = new FftCache<FftPlan<T>>();
  return cache->Get(n, [n] {
    auto plan = std::make_shared<FftPlan<T>>();
    plan->n = n;
    int64_t length = n;
    for (int64_t radix : FactorsOf(n)) {
      FftStage<T> stage = {static_cast<int>(radix), length / radix, {}, {}};
      for (int64_t p = 0; p < stage.m; ++p) {
        for (int64_t k = 1; k < radix; ++k) stage.twiddles.push_back(Root<T>(p * k, length));
      }
      for (int64_t k = 0; k < radix && radix > 5; ++k) stage.roots.push_back(Root<T>(k, radix));
      length = stage.m;
      plan->stages.push_back(std::move(stage));
    }
    return plan;
  });
}

}  // namespace hlocts::kernels
