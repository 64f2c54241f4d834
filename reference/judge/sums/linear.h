// SPDX-License-Identifier: Apache-2.0
// Converts elements of a set array to reals with a radius, for the linear operations (sums.h).
#pragma once

#include "reference/judge/interpreter/set_value.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// The elements of an array as real numbers with a radius.
struct Linear {
  Literal middle;     // f64; definite infinities and NaNs are kept
  Literal magnitude;  // f64: |middle| + radius
  Literal radius;     // f64; not allocated if every element is exact
  bool has_radius = false;
  Literal uncertain;  // f64: 1 if an infinity or NaN is possible but not certain
  bool has_uncertain = false;
  bool non_finite = false;  // some element is certainly an infinity or a NaN
  Literal maybe_zero;       // f64: 1 if an element may be read as zero or as another number
  bool has_maybe_zero = false;
  // All finite midpoints are multiples of 2^quantum with at most `bits` significant bits. `quantum`
  // is kNoQuantum if there are radii.
  static constexpr int kNoQuantum = -100000;
  int quantum = 100000;
  int bits = 0;
  WideningCause cause = WideningCause::kPoint;  // the cause of the widest element
  uint32_t origin = 0;
};
// Converts component `component` of the array to the numbers that an operation with these
// permissions may read; integers become real numbers. If `read_hull`, numbers may be unrounded.
Linear Linearize(const SetArray& array, int component, uint32_t permissions, bool read_hull);

// The elements of an array that may be infinities or NaNs, without being certainly one: f64, 1 for
// each such element. `possible` is for elements that otherwise are numbers of a bounded interval,
// the one that Linearize used, or never are numbers: which of +inf, -inf and NaN they may be.
// `open` is for the others.
struct UncertainElements {
  Literal open;
  Literal possible[3];
};
// `marks` is the `uncertain` of Linearize with the same arguments, for an array of real elements.
UncertainElements UncertainElementsOf(const SetArray& array, uint32_t permissions, bool read_hull,
                                      const Literal& marks);

// Returns a copy with zeros for infinities and NaNs.
Literal FiniteOnly(const Literal& values);
// Returns the signs of finite values, and infinities and NaNs unchanged. A linear operation on the
// result cannot overflow, and yields what IEEE 754 defines for definite infinities and NaNs.
Literal ClassesOf(const Literal& values);
double LargestFinite(const Literal& values);
// Returns the values times 2^-exponent, with zeros for infinities and NaNs.
Literal ScaledDown(const Literal& values, int exponent);
// A magnitude below which sums of terms do not overflow in f64. Larger terms are scaled down before
// they are added: by 2^kSumScale, or by 2^kProductScale if they are products.
inline constexpr double kLargeTerm = 0x1p900;
inline constexpr int kSumScale = 128, kProductScale = 1152;

}  // namespace hlocts::reference
