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

// Includes the corners of x^y for x > 0, which is monotone in each operand.
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
  // Intervals are supported if the exponent is a zero or finite point, or if the base is positive.
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

}  // namespace hlocts
