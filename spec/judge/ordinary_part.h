// SPDX-License-Identifier: Apache-2.0
// Counts the numbers and the bits of ordinary parts, where a part is a real element or one
// component of a complex element. A part is ordinary if it accepts all numbers from lo to hi and
// nothing else, and lo and hi are normal and of the same sign. Nearly all real data are ordinary.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "spec/judge/acceptance_set.h"
#include "spec/judge/effective_bits.h"
#include "spec/judge/real.h"

namespace hlocts {

// Returns the number of values of the format from lo to hi inclusive, both normal and of the same
// sign. It is the distance of their bits as f32 or f64, whose low bits are 0 in narrower formats.
inline int64_t ValuesBetween(double lo, double hi, const FloatFacts& facts) {
  if (facts.is_f64) {
    int64_t a, b;
    std::memcpy(&a, &lo, sizeof(a));
    std::memcpy(&b, &hi, sizeof(b));
    return std::abs(b - a) + 1;
  }
  float low = static_cast<float>(lo), high = static_cast<float>(hi);
  int32_t a, b;
  std::memcpy(&a, &low, sizeof(a));
  std::memcpy(&b, &high, sizeof(b));
  return (std::abs(static_cast<int64_t>(b) - a) >> (24 - facts.p)) + 1;
}

inline double Log2OfCount(int64_t count) {
  static const std::vector<double>* table = [] {
    auto* logs = new std::vector<double>(4096);
    for (size_t i = 1; i < logs->size(); ++i) (*logs)[i] = std::log2(static_cast<double>(i));
    return logs;
  }();
  return count < 4096 ? (*table)[count] : std::log2(static_cast<double>(count));
}

inline double Log2ValuesBetween(double lo, double hi, const FloatFacts& facts) {
  return Log2OfCount(ValuesBetween(lo, hi, facts));
}

// Returns EffectiveBitsOf before it is clamped to the format's precision.
inline double EffectiveBitsBetween(double lo, double hi, const FloatFacts& facts, double rms) {
  const double reference = std::max(std::fabs(lo / 2 + hi / 2), 1e-3 * rms);
  return facts.p - RoughLog2(1 + (hi - lo) / facts.Ulp(reference));
}

// Returns true if the part is ordinary, has more than one number, and contains x.
inline bool IsOrdinaryWith(const AcceptanceSet& s, double x, const FloatFacts& facts) {
  constexpr uint16_t kUnrounded = AcceptanceSet::kPreRounding | AcceptanceSet::kContractible;
  if ((s.flags & ~kUnrounded) != AcceptanceSet::kFinite || !(s.lo < s.hi)) return false;
  const double least = std::min(std::fabs(s.lo), std::fabs(s.hi));
  return x >= s.lo && x <= s.hi && (s.lo > 0) == (s.hi > 0) && least >= facts.min_normal &&
         std::max(-s.lo, s.hi) <= facts.max;
}

}  // namespace hlocts
