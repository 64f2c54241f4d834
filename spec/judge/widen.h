// SPDX-License-Identifier: Apache-2.0
// Widens an interval by the reach of its numbers, which may jump at powers of two (lemmas 17, 41).
#pragma once

#include <algorithm>
#include <cmath>

#include "spec/judge/real.h"

namespace hlocts {

// Returns the smallest power of two in (lo, hi] for positive lo, or 0 if there is none.
inline double PowerOfTwoAbove(double lo, double hi) {
  if (!(lo > 0) || std::isinf(lo)) return 0;
  if (lo < 0x1p-1022 || lo >= 0x1p1023) return 0;
  double power = PowerOfTwo(ExponentOf(lo) + 1);
  return power <= hi ? power : 0;
}

// Returns the lowest number reached from hi or from the largest power of two in the interval. The
// latter may reach further if a module requests a tolerance larger than the number itself.
template <typename Reach>
double ReachedFromAbove(Reach reach, double lo, double hi) {
  if (!(hi > 0)) return kInfinity;
  hi = std::min(hi, kLargestDouble);
  const double power = hi < 0x1p-1022 ? 0 : PowerOfTwo(ExponentOf(hi));
  return std::min(hi - reach(hi), power > std::max(lo, 0.0) ? power - reach(power) : kInfinity);
}

// Widens [lo, hi] by the reach(t) of each of its numbers t.
template <typename Reach>
void Widen(Reach reach, double& lo, double& hi) {
  double lower = std::isinf(lo) ? lo : lo - reach(lo);
  double upper = std::isinf(hi) ? hi : hi + reach(hi);
  lower = std::min(lower, ReachedFromAbove(reach, lo, hi));
  upper = std::max(upper, -ReachedFromAbove(reach, -hi, -lo));
  // At a power of two the unit doubles, so the downward reach of that power may be the longest.
  if (double power = PowerOfTwoAbove(lo, hi); power > 0) {
    lower = std::min(lower, power - reach(power));
  }
  if (double power = PowerOfTwoAbove(-hi, -lo); power > 0) {
    upper = std::max(upper, -power + reach(power));
  }
  lo = lower;
  hi = upper;
}

}  // namespace hlocts
