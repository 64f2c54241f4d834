// SPDX-License-Identifier: Apache-2.0
// The elements of a set array as reals with a radius, for the linear operations (sums.h).
#ifndef HLOCTS_REFERENCE_JUDGE_SUMS_LINEAR_H_
#define HLOCTS_REFERENCE_JUDGE_SUMS_LINEAR_H_

#include "reference/judge/interpreter/set_value.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// The elements of an array as reals with a radius.
struct Linear {
  Literal middle;     // f64; certain infinities and NaNs are kept as they are
  Literal magnitude;  // f64: |middle| + radius
  Literal radius;     // f64; not allocated when every element is a point
  bool has_radius = false;
  Literal uncertain;  // f64: 1 where an infinity or NaN is possible but not certain
  bool has_uncertain = false;
  bool non_finite = false;  // some certain infinity or NaN
  Literal maybe_zero;       // f64: 1 where an element may be read as zero and as something else
  bool has_maybe_zero = false;
  // All finite middles are multiples of 2^quantum and take at most `bits` bits; kNoQuantum when
  // there are radii.
  static constexpr int kNoQuantum = -100000;
  int quantum = 100000;
  int bits = 0;
  WideningCause cause = WideningCause::kPoint;  // of the widest element
  uint32_t origin = 0;
};
// Component `component` of the array, as an operation with these permissions reads it. Integers are
// read as reals. `read_hull`: unrounded values may be read as well.
Linear Linearize(const SetArray& array, int component, uint32_t permissions, bool read_hull);

// A copy with infinities and NaNs taken out.
Literal FiniteOnly(const Literal& values);
// Replaces finite values by their signs and keeps infinities and NaNs: an operation gives for them
// what IEEE 754 gives for the certain infinities and NaNs, and cannot overflow.
Literal ClassesOf(const Literal& values);
// The largest finite magnitude.
double LargestFinite(const Literal& values);
// The finite values times 2^-exponent.
Literal ScaledDown(const Literal& values, int exponent);
// Sums of terms below this do not overflow in f64. Others are added scaled down by 2^kSumScale,
// products by 2^kProductScale.
inline constexpr double kLargeTerm = 0x1p900;
inline constexpr int kSumScale = 128, kProductScale = 1152;

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_SUMS_LINEAR_H_
