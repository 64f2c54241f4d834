// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/complex_boxes.h"

#include <algorithm>
#include <cmath>

namespace hlocts {
namespace {

// Returns the context in which one component of a box is stored: its ends are only rounded.
SetContext ComponentContext(const SetContext& context) {
  SetContext component = context;
  component.rule.rule_class = RuleClass::kCorrectlyRounded;
  if (context.rule.Allows(kFlushResult)) component.rule.permissions |= kZeroSignFree;
  return component;
}

AcceptanceSet BoxSide(long double centre, long double radius, const SetContext& context) {
  const FloatFacts& facts = *context.result;
  Image image{.finite = true,
              .lo = {NextDown(static_cast<double>(centre - radius)), 0},
              .hi = {NextUp(static_cast<double>(centre + radius)), 0}};
  if (radius == 0 && static_cast<double>(centre) == centre) {
    image.lo = image.hi = {static_cast<double>(centre), 0};
  }
  if (std::fabs(centre) + radius > facts.max) {  // overflow to infinity or to the largest value
    AcceptanceSet s = StoreImage(image, ComponentContext(context));
    if (context.rule.Allows(kFlushResult)) {
      s = Join(s, AcceptanceSet::Float(centre > 0 ? facts.max : -facts.max));
    }
    return s;
  }
  if (image.lo.value <= 0 && image.hi.value >= 0) image.pos_zero = image.neg_zero = true;
  return StoreImage(image, ComponentContext(context));
}

}  // namespace

ComplexSet OpenSet(WideningCause cause, const SetContext& context) {
  AcceptanceSet s = AcceptanceSet::Unspecified(cause, context.origin);
  return {s, s};
}

bool FiniteBall(const ComplexSet& z, const SetContext& context, Ball& ball) {
  uint32_t permissions = context.rule.permissions;
  const bool hull = context.rule.Allows(kSkipRounding);
  View re = ReadSet(z.re, *context.operand, permissions, hull);
  View im = ReadSet(z.im, *context.operand, permissions, hull);
  if (z.re.unspecified() || z.im.unspecified()) return false;
  if (re.nan || im.nan || re.Infinite() || im.Infinite() || !re.finite || !im.finite) return false;
  for (double end : {re.lo, re.hi, im.lo, im.hi}) {
    if (std::isinf(end)) return false;
  }
  long double x = (re.lo == re.hi) ? (re.neg_zero ? -0.0L : re.lo)
                                   : (static_cast<long double>(re.lo) + re.hi) / 2;
  long double y = (im.lo == im.hi) ? (im.neg_zero ? -0.0L : im.lo)
                                   : (static_cast<long double>(im.lo) + im.hi) / 2;
  ball.centre = Wide(x, y);
  ball.re_radius = (static_cast<long double>(re.hi) - re.lo) / 2;
  ball.im_radius = (static_cast<long double>(im.hi) - im.lo) / 2;
  ball.re_zeros = re.pos_zero && re.neg_zero;
  ball.im_zeros = im.pos_zero && im.neg_zero;
  return true;
}

ComplexSet Box(const Wide& f, long double tolerance, const SetContext& context) {
  ComplexSet box = {BoxSide(f.real(), tolerance, context), BoxSide(f.imag(), tolerance, context)};
  for (AcceptanceSet* s : {&box.re, &box.im}) {
    s->origin = context.origin;
    if (s->finite() && s->lo != s->hi) s->cause = WideningCause::kUlps;
  }
  return box;
}

bool Finite(const Wide& z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

long double Unit(const SetContext& context, long double x) {
  const FloatFacts& facts = *context.result;
  // x may be outside the range of f64.
  int exponent = x == 0 ? facts.emin : std::max(std::ilogb(x), facts.emin);
  return std::ldexp(1.0L, exponent - facts.p + 1);
}

namespace {

bool OneValueOf(const AcceptanceSet& s, long double& value) {
  constexpr uint16_t kInfinities = AcceptanceSet::kPosInf | AcceptanceSet::kNegInf;
  if (s.unspecified() || s.integer()) return false;
  const bool nan = s.Has(AcceptanceSet::kNan) || s.Has(AcceptanceSet::kBitsKnown);
  if (nan) {
    value = NAN;
    return !s.finite() && !s.Has(kInfinities);
  }
  if (!s.finite()) {
    value = s.Has(AcceptanceSet::kPosInf) ? HUGE_VALL : -HUGE_VALL;
    return (s.flags & kInfinities) != kInfinities && s.Has(kInfinities);
  }
  value = s.Has(AcceptanceSet::kNegZero) ? -0.0L : static_cast<long double>(s.lo);
  const bool zeros = s.Has(AcceptanceSet::kNegZero) && s.Has(AcceptanceSet::kPosZero);
  return s.lo == s.hi && !s.Has(kInfinities) && !zeros;
}

AcceptanceSet SpecialPart(long double x, bool signs_free, const SetContext& context) {
  AcceptanceSet s = AcceptanceSet::Float(NAN);
  if (std::isinf(x)) {
    s = Join(s, AcceptanceSet::Float(static_cast<double>(x)));
    if (signs_free) s = Join(s, AcceptanceSet::Float(static_cast<double>(-x)));
  } else if (!std::isnan(x)) {
    const long double ulps = x == 0 ? 0 : context.rule.ulps * Unit(context, x);
    s = Join(s, BoxSide(x, ulps, context));
    if (x == 0 && signs_free) s = Join(s, AcceptanceSet::Float(static_cast<double>(-x)));
  }
  s.cause = WideningCause::kFreedom;
  s.origin = context.origin;
  return s;
}

}  // namespace

bool OneValue(const ComplexSet& z, Wide& value) {
  long double re = 0, im = 0;
  if (!OneValueOf(z.re, re) || !OneValueOf(z.im, im)) return false;
  value = Wide(re, im);
  return true;
}

bool SignsFree(const Wide& z, const Wide& f) {
  const bool nan =
      std::isnan(z.real()) || std::isnan(z.imag()) || std::isnan(f.real()) || std::isnan(f.imag());
  return nan || (std::isinf(z.real()) && std::isinf(z.imag()));
}

ComplexSet SpecialBox(const Wide& f, bool signs_free, const SetContext& context) {
  return {SpecialPart(f.real(), signs_free, context), SpecialPart(f.imag(), signs_free, context)};
}

ComplexSet JoinBoxes(const ComplexSet& a, const ComplexSet& b) {
  return {Join(a.re, b.re), Join(a.im, b.im)};
}

}  // namespace hlocts
