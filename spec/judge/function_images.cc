// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "spec/judge/float_images.h"

namespace hlocts {

namespace {

// Includes the extremes of sin over an interval, 1 at pi/2 + 2 pi n and -1 at -pi/2 + 2 pi n.
// `shift` is 0 for sin and pi/2 for cos.
void IncludeWaveExtremes(double lo, double hi, double shift, Image& r) {
  constexpr double kPi = 3.14159265358979323846;
  constexpr double kSlack = 1e-6;
  if (std::max(std::fabs(lo), std::fabs(hi)) > 1e8 || hi - lo >= 2 * kPi) {
    Include(Point(-1), r);
    Include(Point(1), r);
    return;
  }
  auto meets = [&](double at) {
    double n = std::ceil((lo + shift - at) / (2 * kPi) - kSlack);
    return at + 2 * kPi * n <= hi + shift + kSlack;
  };
  if (meets(kPi / 2)) Include(Point(1), r);
  if (meets(-kPi / 2)) Include(Point(-1), r);
}

bool TangentHasPole(double lo, double hi) {
  constexpr double kPi = 3.14159265358979323846;
  if (std::max(std::fabs(lo), std::fabs(hi)) > 1e8 || hi - lo >= kPi) return true;
  double n = std::ceil((lo - kPi / 2) / kPi - 1e-6);
  return kPi / 2 + kPi * n <= hi + 1e-6;
}

void IncludeFunction(const RealFunction& f, double x, bool rigorous, Image& r) {
  Enclosure e = EncloseFunction(f, x, rigorous);
  if (std::isnan(e.lo)) {
    r.nan = true;
    return;
  }
  if (e.lo == 0 && e.hi == 0) {  // exact: acos(1), log(1)
    bool negative = std::signbit(f.value(x));
    SetZeros(Signs(!negative, negative), r);
  }
  Include({e.lo, 0}, r);
  Include({e.hi, 0}, r);
}

// Includes f at an infinity or a zero, with the result that C defines.
void IncludeSpecial(const RealFunction& f, double x, Image& r) {
  double y = f.value(x);
  if (std::isnan(y)) {
    r.nan = true;
  } else if (std::isinf(y)) {
    SetInfinities(Signs(y > 0, y < 0), r);
  } else if (y == 0) {
    SetZeros(Signs(!std::signbit(y), std::signbit(y)), r);  // exact: no ulps around it
  } else {
    IncludeFunction(f, x, false, r);
  }
}

// Includes the extremes between lo and hi of a function that is not monotone.
void IncludeTurns(const RealFunction& f, double lo, double hi, Image& r) {
  constexpr double kQuarterTurn = 1.57079632679489661923;
  switch (f.monotone) {
    case Monotone::kIncreasing:
    case Monotone::kDecreasing:
      return;
    case Monotone::kEven:
      if (lo < 0 && hi > 0) IncludeSpecial(f, 0.0, r);
      return;
    case Monotone::kSine:
      return IncludeWaveExtremes(lo, hi, 0, r);
    case Monotone::kCosine:
      return IncludeWaveExtremes(lo, hi, kQuarterTurn, r);
    case Monotone::kTangent:
      if (!TangentHasPole(lo, hi)) return;
      Include(Point(-kInfinity), r);
      Include(Point(kInfinity), r);
  }
}

}  // namespace

Image FunctionImage(const RealFunction& f, const View& a, double least, bool rigorous) {
  Image r;
  r.nan = a.nan;
  if (a.pos_inf) IncludeSpecial(f, kInfinity, r);
  if (a.neg_inf) IncludeSpecial(f, -kInfinity, r);
  if (!a.finite) return r;
  double lo = a.lo, hi = a.hi;
  if (a.pos_zero) IncludeSpecial(f, 0.0, r);
  if (a.neg_zero) IncludeSpecial(f, -0.0, r);
  if (lo == 0 && hi == 0) return r;
  if (lo < f.domain_lo || hi > f.domain_hi) r.nan = true;
  lo = std::max(lo, f.domain_lo);
  hi = std::min(hi, f.domain_hi);
  if (f.pole_at_zero) lo = std::max(lo, least);
  if (lo > hi) return r;
  // The function is infinite at a pole (log-plus-one(-1), atanh(±1)) or beyond the range of f64.
  bool up = false, down = false;
  auto end = [&](double x) {
    double y = f.value(x);
    if (!std::isinf(y) || std::isinf(x)) return IncludeFunction(f, x, rigorous, r);
    IncludeSpecial(f, x, r);
    (y > 0 ? up : down) = true;
  };
  end(lo);
  if (lo == hi) return r;
  end(hi);
  IncludeTurns(f, lo, hi, r);
  // Near an infinity the function takes every value up to it.
  bool on_the_way = r.finite || (up && down);
  if (up && on_the_way) Include(Point(kInfinity), r);
  if (down && on_the_way) Include(Point(-kInfinity), r);
  return r;
}

}  // namespace hlocts
