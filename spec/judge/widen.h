// SPDX-License-Identifier: Apache-2.0
// An interval with what lies within reach of its numbers, where reach(t) may grow with t and jumps
// at powers of two (RULES 17, 41).
#ifndef HLOCTS_SPEC_JUDGE_WIDEN_H_
#define HLOCTS_SPEC_JUDGE_WIDEN_H_

#include <algorithm>
#include <cmath>

#include "spec/judge/real.h"

namespace hlocts {

// The first power of two in (lo, hi] for positive lo; 0 if there is none.
inline double PowerOfTwoAbove(double lo, double hi) {
  if (!(lo > 0) || std::isinf(lo)) return 0;
  if (lo < 0x1p-1022 || lo >= 0x1p1023) return 0;
  double power = PowerOfTwo(ExponentOf(lo) + 1);
  return power <= hi ? power : 0;
}

// How far down hi reaches, and the last power of two up to it: it may be furthest where what a
// module asks for is more than the number itself.
template <typename Reach>
double ReachedFromAbove(Reach reach, double lo, double hi) {
  if (!(hi > 0)) return kInfinity;
  hi = std::min(hi, kLargestDouble);
  const double power = hi < 0x1p-1022 ? 0 : PowerOfTwo(ExponentOf(hi));
  return std::min(hi - reach(hi), power > std::max(lo, 0.0) ? power - reach(power) : kInfinity);
}

// [lo, hi] with what lies within reach(t) of a number t in it.
template <typename Reach>
void Widen(Reach reach, double& lo, double& hi) {
  double lower = std::isinf(lo) ? lo : lo - reach(lo);
  double upper = std::isinf(hi) ? hi : hi + reach(hi);
  lower = std::min(lower, ReachedFromAbove(reach, lo, hi));
  upper = std::max(upper, -ReachedFromAbove(reach, -hi, -lo));
  // Above a power of two the unit is larger: its own reach downwards may be the longest.
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
