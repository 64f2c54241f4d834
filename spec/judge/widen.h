// SPDX-License-Identifier: Apache-2.0
// Widens an interval by the reach of its numbers, where reach(t) may grow with t and jumps at
// powers of two (RULES 17, 41).
#ifndef HLOCTS_SPEC_JUDGE_WIDEN_H_
#define HLOCTS_SPEC_JUDGE_WIDEN_H_

#include <algorithm>
#include <cmath>

#include "spec/judge/real.h"

namespace hlocts {

// The smallest power of two in (lo, hi] for positive lo; 0 if there is none.
inline double PowerOfTwoAbove(double lo, double hi) {
  if (!(lo > 0) || std::isinf(lo)) return 0;
  if (lo < 0x1p-1022 || lo >= 0x1p1023) return 0;
  double power = PowerOfTwo(ExponentOf(lo) + 1);
  return power <= hi ? power : 0;
}

// The lowest number reached from hi or from the last power of two up to it. The latter may reach
// further if a module requests a tolerance larger than the number itself.
template <typename Reach>
double ReachedFromAbove(Reach reach, double lo, double hi) {
  if (!(hi > 0)) return kInfinity;
  hi = std::min(hi, kLargestDouble);
  const double power = hi < 0x1p-1022 ? 0 : PowerOfTwo(ExponentOf(hi));
  return std::min(hi - reach(hi), power > std::max(lo, 0.0) ? power - reach(power) : kInfinity);
}

// Widens [lo, hi] by the reach(t) of each number t in it.
template <typename Reach>
void Widen(Reach reach, double& lo, double& hi) {
  double lower = std::isinf(lo) ? lo : lo - reach(lo);
  double upper = std::isinf(hi) ? hi : hi + reach(hi);
  lower = std::min(lower, ReachedFromAbove(reach, lo, hi));
  upper = std::max(upper, -ReachedFromAbove(reach, -hi, -lo));
  // Above a power of two the unit is larger, so its own downward reach may be the longest.
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

#endif  // HLOCTS_SPEC_JUDGE_WIDEN_H_
