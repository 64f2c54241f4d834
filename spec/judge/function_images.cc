// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "spec/judge/float_images.h"

namespace hlocts {
namespace {

// The values of a view one by one. CollectAtoms returns false if the view contains an interval.
struct Atoms {
  double values[8];
  int count = 0;
  void Add(double x) { values[count++] = x; }
};
bool CollectAtoms(const View& v, Atoms& atoms) {
  if (v.nan) atoms.Add(std::nan(""));
  if (v.pos_inf) atoms.Add(kInfinity);
  if (v.neg_inf) atoms.Add(-kInfinity);
  if (v.pos_zero) atoms.Add(0.0);
  if (v.neg_zero) atoms.Add(-0.0);
  if (!v.finite || (v.lo == 0 && v.hi == 0)) return true;
  if (v.lo != v.hi) return false;
  atoms.Add(v.lo);
  return true;
}

bool IsInteger(double y) { return std::isfinite(y) && y == std::floor(y); }

void IncludePowerPoint(double x, double y, const SetContext& context, Image& r) {
  double value = std::pow(x, y);
  if (std::isnan(value)) {
    r.nan = true;
    return;
  }
  bool special = x == 0 || y == 0 || std::isinf(x) || std::isinf(y) || std::isnan(x) ||
                 std::isnan(y) || x == 1;
  if ((std::isnan(x) || std::isnan(y)) && context.rule.Allows(kOneIsAnyNan)) r.nan = true;
  if (special && std::isinf(value)) return SetInfinities(Signs(value > 0, value < 0), r);
  if (special && value == 0) {
    return SetZeros(Signs(!std::signbit(value), std::signbit(value)), r);
  }
  if (special) return Include(Point(value), r);
  Enclosure e = EnclosePower(x, y, context.rigorous);
  Include({e.lo, 0}, r);
  Include({e.hi, 0}, r);
}

// Includes x^y, x > 0, at the corners of the operands' box: it is monotone in each operand.
void IncludePowerCorners(double xlo, double xhi, const View& y, double sign,
                         const SetContext& context, Image& r) {
  for (double x : {xlo, xhi}) {
    for (double e : {y.lo, y.hi}) {
      Enclosure c = EnclosePower(x, e, context.rigorous);
      Include(Point(sign > 0 ? c.lo : -c.hi), r);
      Include(Point(sign > 0 ? c.hi : -c.lo), r);
    }
  }
}

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

bool PowerImage(const View& x, const View& y, double least, const SetContext& context, Image& r) {
  Atoms xs, ys;
  bool x_points = CollectAtoms(x, xs), y_points = CollectAtoms(y, ys);
  if (x_points && y_points) {
    for (int i = 0; i < xs.count; ++i) {
      for (int j = 0; j < ys.count; ++j) IncludePowerPoint(xs.values[i], ys.values[j], context, r);
    }
    return true;
  }
  // Intervals are supported if the exponent is one finite number, or if the base is positive.
  if (y.nan || y.Infinite() || x.nan || x.Infinite()) return false;
  if (x.Negative() && !(y.lo == y.hi && IsInteger(y.lo))) return false;
  if (x.Zero() && (!y_points || ys.count != 1)) {
    if (!(y.lo > 0)) return false;  // 0^y with y of uncertain sign
    SetZeros(Signs(true, x.neg_zero), r);
    Include(Point(0), r);
  }
  if (y_points) {
    for (int i = 0; i < xs.count; ++i) {
      for (int j = 0; j < ys.count; ++j) IncludePowerPoint(xs.values[i], ys.values[j], context, r);
    }
  }
  if (x.Positive()) {
    IncludePowerCorners(std::max(x.lo, least), std::max(x.hi, least), y, 1, context, r);
  }
  if (x.Negative()) {
    double sign = std::fmod(y.lo, 2) == 0 ? 1 : -1;
    IncludePowerCorners(std::max(-x.hi, least), std::max(-x.lo, least), y, sign, context, r);
  }
  return true;
}

namespace {

// Applies atan2 to each pair of a value of y and a value of x.
Image Atan2OfPoints(const Atoms& ys, const Atoms& xs, const SetContext& context, Image r) {
  for (int i = 0; i < ys.count; ++i) {
    for (int j = 0; j < xs.count; ++j) {
      double a = ys.values[i], b = xs.values[j];
      if (std::isnan(a) || std::isnan(b)) continue;
      double value = std::atan2(a, b);
      if (value == 0) SetZeros(Signs(!std::signbit(value), std::signbit(value)), r);
      Enclosure e = EncloseAtan2(a, b, context.rigorous);
      Include(Point(e.lo), r);
      Include(Point(e.hi), r);
    }
  }
  return r;
}

}  // namespace

Image Atan2Image(const View& y, const View& x, const SetContext& context) {
  constexpr double kPi = 3.1415926535897936;  // above pi
  Image r;
  r.nan = y.nan || x.nan;
  Atoms ys, xs;
  bool y_points = CollectAtoms(y, ys), x_points = CollectAtoms(x, xs);
  if (y_points && x_points) return Atan2OfPoints(ys, xs, context, r);
  bool both_signs =
      (y.Positive() || y.pos_zero || y.pos_inf) && (y.Negative() || y.neg_zero || y.neg_inf);
  bool left = x.Negative() || x.neg_zero || x.neg_inf;
  bool origin = x.Zero() && y.Zero();
  if (y.Infinite() || x.Infinite() || (both_signs && left) || origin) {
    Include(Point(-kPi), r);
    Include(Point(kPi), r);
    r.pos_zero = r.neg_zero = true;
    return r;
  }
  double zero = y.neg_zero && !y.pos_zero ? -0.0 : 0.0;
  for (double a : {y.lo, y.hi}) {
    for (double b : {x.lo, x.hi}) {
      Enclosure e = EncloseAtan2(a == 0 ? zero : a, b, context.rigorous);
      Include(Point(e.lo), r);
      Include(Point(e.hi), r);
    }
  }
  if (y.Zero()) SetZeros(ZeroSigns(y), r);
  return r;
}

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
  // A function that also has finite values, or both infinities, has arbitrarily large finite
  // values.
  bool on_the_way = r.finite || (up && down);
  if (up && on_the_way) Include(Point(kInfinity), r);
  if (down && on_the_way) Include(Point(-kInfinity), r);
  return r;
}

}  // namespace hlocts
