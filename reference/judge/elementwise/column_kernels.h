// SPDX-License-Identifier: Apache-2.0
// Defines kernels that compute one element of an element-wise operation on ordinary intervals
// (interval_columns.h), with the ends that set arithmetic in spec/judge yields (columns_test.cc). A
// kernel returns false if the result is not an ordinary interval or needs more checks.
#pragma once

#include <algorithm>
#include <cstring>

#include "spec/judge/float_sets.h"
#include "spec/judge/real.h"

namespace hlocts::reference {

struct Ends {
  double lo = 0, hi = 0;    // the ends as stored
  double rlo = 0, rhi = 0;  // the unrounded ends, which contain [lo, hi]
};

// Rounds to the result's format.
[[gnu::always_inline]] inline double Nearest(const Bound& x, const FloatFacts& facts) {
  if (facts.is_f64) return x.value;
  return facts.p == 24 ? static_cast<float>(x.Odd()) : facts.Round(x.Odd());
}

// Stores correctly rounded ends. Returns false if any of them is not normal.
[[gnu::always_inline]] inline bool StoreRounded(const Bound& lo, const Bound& hi,
                                                const FloatFacts& facts, Ends& e) {
  e.lo = Nearest(lo, facts);
  e.hi = Nearest(hi, facts);
  e.rlo = lo.Down();
  e.rhi = hi.Up();
  bool normal = (e.rlo > facts.min_normal && e.hi < facts.max && e.lo > facts.min_normal) ||
                (e.rhi < -facts.min_normal && e.lo > -facts.max && e.hi < -facts.min_normal);
  if (!normal) return false;
  if (facts.p <= 11) {
    e.rlo = std::min(e.rlo, static_cast<double>(static_cast<float>(e.rlo)));
    e.rhi = std::max(e.rhi, static_cast<double>(static_cast<float>(e.rhi)));
  }
  e.rlo = std::min(e.rlo, e.lo);
  e.rhi = std::max(e.rhi, e.hi);
  return true;
}

[[gnu::always_inline]] inline bool AddEnds(double alo, double ahi, double blo, double bhi,
                                           const FloatFacts& facts, Ends& e) {
  Bound lo = AddExact(alo, blo);
  Bound hi = alo == ahi && blo == bhi ? lo : AddExact(ahi, bhi);
  return StoreRounded(lo, hi, facts, e);
}

[[gnu::always_inline]] inline bool MultiplyEnds(double alo, double ahi, double blo, double bhi,
                                                const FloatFacts& facts, Ends& e) {
  if (alo == 0 || blo == 0) {
    e.lo = e.hi = e.rlo = e.rhi = alo * blo;
    return e.lo == 0;  // false if e.lo is a NaN
  }
  if (alo == ahi && blo == bhi) {
    Bound product = MultiplyExact(alo, blo);
    return StoreRounded(product, product, facts, e);
  }
  // The ends are the products of the smallest and of the largest magnitudes, with the right sign.
  bool negative = (alo < 0) != (blo < 0);
  double a_near = alo > 0 ? alo : ahi, a_far = alo > 0 ? ahi : alo;
  double b_near = blo > 0 ? blo : bhi, b_far = blo > 0 ? bhi : blo;
  Bound near = MultiplyExact(a_near, b_near), far = MultiplyExact(a_far, b_far);
  return negative ? StoreRounded(far, near, facts, e) : StoreRounded(near, far, facts, e);
}

[[gnu::always_inline]] inline bool MaximumEnds(double alo, double ahi, double blo, double bhi,
                                               Ends& e) {
  if (alo == 0 && blo == 0) return false;  // a zero of either sign is permitted
  e.lo = e.rlo = std::max(alo, blo);
  e.hi = e.rhi = std::max(ahi, bhi);
  return (e.lo > 0) == (e.hi > 0) && (e.lo == 0) == (e.hi == 0);
}
[[gnu::always_inline]] inline bool MinimumEnds(double alo, double ahi, double blo, double bhi,
                                               Ends& e) {
  if (alo == 0 && blo == 0) return false;
  e.lo = e.rlo = std::min(alo, blo);
  e.hi = e.rhi = std::min(ahi, bhi);
  return (e.lo < 0) == (e.hi < 0) && (e.lo == 0) == (e.hi == 0);
}

// F32Down and F32Up return the same as FloatFacts::RoundDown and RoundUp of f32, for a number well
// inside the normal range.
inline double F32Down(double x) {
  float rounded = static_cast<float>(x);
  const int32_t step = static_cast<int32_t>(rounded > x);  // no branch: half would be mispredicted
  int32_t bits;
  std::memcpy(&bits, &rounded, sizeof(bits));
  bits += rounded > 0 ? -step : step;
  std::memcpy(&rounded, &bits, sizeof(bits));
  return rounded;
}
inline double F32Up(double x) { return -F32Down(-x); }

// Stores [tlo, thi], widened by the rule's ulps; tlo and thi have the same sign. Returns false if
// the interval is near an end of the range. The ulp grows at a power of two, so the values for that
// power may begin below the values for tlo (lemma 17).
[[gnu::always_inline]] inline bool StoreOrdinaryUlps(double tlo, double thi,
                                                     const SetContext& context, Ends& e) {
  const FloatFacts& facts = *context.result;
  bool negative = tlo < 0;
  double near = negative ? -thi : tlo, far = negative ? -tlo : thi;
  if (!(near > 4 * facts.min_normal) || !(far < facts.max / 4)) return false;
  int exponent = ExponentOf(near), top = ExponentOf(far);
  if (top >= context.rule.big_exponent) return false;
  double unit = context.rule.ulps * PowerOfTwo(1 - facts.p);
  if (facts.is_f64) unit *= 1 + 0x1p-40;
  auto widen = [&](double per_number, double& lo, double& hi) __attribute__((always_inline)) {
    double below = near - per_number * PowerOfTwo(exponent);
    double above = far + per_number * PowerOfTwo(top);
    const double power = PowerOfTwo(exponent + 1), at_power = power - per_number * power;
    below = top > exponent ? std::min(below, at_power) : below;
    if (facts.is_f64) below = NextDown(below), above = NextUp(above);
    lo = negative ? -above : below;
    hi = negative ? -below : above;
    if (context.rule.Allows(kNoRangeGuard)) return;
    lo = std::max(lo, context.guard.lo);
    hi = std::min(hi, context.guard.hi);
  };
  double lower, upper, unrounded_lo, unrounded_hi;
  widen(unit, lower, upper);
  // Before the value is stored, the error is half an ulp smaller (see AddPreRounding).
  widen(std::max(0.0, unit - PowerOfTwo(-facts.p)), unrounded_lo, unrounded_hi);
  if (facts.p <= 11 && unrounded_lo != 0 && unrounded_hi != 0) {  // rounding to f32 first
    unrounded_lo = F32Down(unrounded_lo);
    unrounded_hi = F32Up(unrounded_hi);
  }
  bool f32 = facts.type == PrimitiveType::kF32 && lower != 0 && upper != 0;
  e.lo = e.rlo = f32 ? F32Up(lower) : facts.RoundUp(lower);
  e.hi = e.rhi = f32 ? F32Down(upper) : facts.RoundDown(upper);
  // Only an unrounded value may be outside the function's range (context.guard).
  e.rlo = std::min({e.rlo, tlo, unrounded_lo});
  e.rhi = std::max({e.rhi, thi, unrounded_hi});
  return e.lo <= e.hi;
}

inline bool DivideEnds(double alo, double ahi, double blo, double bhi, const SetContext& context,
                       Ends& e) {
  if (alo == 0 || blo == 0) return false;
  double a_near = alo > 0 ? alo : ahi, a_far = alo > 0 ? ahi : alo;
  double b_near = blo > 0 ? blo : bhi, b_far = blo > 0 ? bhi : blo;
  Bound near = DivideExact(a_near, b_far), far = DivideExact(a_far, b_near);
  return (alo < 0) != (blo < 0) ? StoreOrdinaryUlps(far.Down(), near.Up(), context, e)
                                : StoreOrdinaryUlps(near.Down(), far.Up(), context, e);
}

inline bool SquareRootEnds(double lo, double hi, const SetContext& context, Ends& e) {
  if (!(lo > 0)) return false;
  return StoreOrdinaryUlps(SquareRootExact(lo).Down(), SquareRootExact(hi).Up(), context, e);
}

// Handles real functions away from zero and from the ends of their domains.
inline bool FunctionEnds(const RealFunction& f, double lo, double hi, const SetContext& context,
                         Ends& e) {
  if (lo == 0 || !(lo > f.domain_lo && hi < f.domain_hi)) return false;
  if (lo == hi) {
    Enclosure y = EncloseFunction(f, lo, false);
    return StoreOrdinaryUlps(y.lo, y.hi, context, e);
  }
  // Even functions are monotone on each side of zero.
  bool monotone = f.monotone == Monotone::kIncreasing || f.monotone == Monotone::kDecreasing ||
                  f.monotone == Monotone::kEven;
  if (!monotone) return false;
  Enclosure at_lo = EncloseFunction(f, lo, false), at_hi = EncloseFunction(f, hi, false);
  return StoreOrdinaryUlps(std::min(at_lo.lo, at_hi.lo), std::max(at_lo.hi, at_hi.hi), context, e);
}

}  // namespace hlocts::reference
