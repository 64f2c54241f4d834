// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "spec/ir/opcode.h"
#include "spec/judge/complex_boxes.h"
#include "spec/judge/float_images.h"

namespace hlocts {

using Flag = AcceptanceSet::Flag;

namespace {

void AddSelectedZeros(const View& a, const View& b, AcceptanceSet& s) {
  if (!s.finite() || s.lo > 0 || s.hi < 0) return;
  if (a.pos_zero || b.pos_zero) s.flags |= Flag::kPosZero;
  if (a.neg_zero || b.neg_zero) s.flags |= Flag::kNegZero;
  // An operand with 0 inside its interval may be a zero of either sign.
  if (s.lo < 0 && s.hi > 0 && !s.Has(Flag::kPosZero) && !s.Has(Flag::kNegZero)) {
    s.flags |= Flag::kPosZero | Flag::kNegZero;
  }
}

// Implements selections and comparisons of complex numbers.

bool MayBe(absl::string_view direction, const AcceptanceSet& a, const AcceptanceSet& b,
           const SetContext& context) {
  return CompareFloat(direction, false, a, b, context).ihi == 1;
}
bool MayBeNan(const ComplexSet& z) {
  return z.re.Has(AcceptanceSet::kNan) || z.im.Has(AcceptanceSet::kNan);
}
// Returns the set of an operand that is selected: its subnormal parts may have been flushed.
ComplexSet Selected(const ComplexSet& z, const SetContext& context) {
  if (!context.rule.Allows(kFlushOperand)) return z;
  return {WithFlushes(z.re, *context.operand), WithFlushes(z.im, *context.operand)};
}

struct Order {
  bool less = false, equal = false, greater = false, unordered = false;
};

Order NumericOrder(const View& a, const View& b) {
  Order order;
  order.unordered = a.nan || b.nan;
  auto low = [](const View& v) { return v.neg_inf ? -kInfinity : v.finite ? v.lo : kInfinity; };
  auto high = [](const View& v) { return v.pos_inf ? kInfinity : v.finite ? v.hi : -kInfinity; };
  bool numbers = (a.finite || a.Infinite()) && (b.finite || b.Infinite());
  if (!numbers) return order;
  order.less = low(a) < high(b);
  order.greater = high(a) > low(b);
  order.equal = std::max(low(a), low(b)) <= std::min(high(a), high(b));
  return order;
}

bool MayBeNumber(const View& v) { return v.finite || v.Infinite(); }

// Compares two numbers by value, with -0 before +0.
Order TotalOrderOfNumbers(const View& x, const View& y) {
  Order order = NumericOrder(x, y);
  order.unordered = false;
  if (x.Zero() && y.Zero()) {
    order.equal =
        (x.pos_zero && y.pos_zero) || (x.neg_zero && y.neg_zero) || x.lo != x.hi || y.lo != y.hi;
    order.less = order.less || (x.neg_zero && y.pos_zero);
    order.greater = order.greater || (x.pos_zero && y.neg_zero);
  }
  return order;
}

// Adds the positions of a NaN relative to a number. The total order puts a NaN before or after all
// numbers depending on its sign, which is known only if the bits are known.
void AddNanBesideNumber(const AcceptanceSet& nan, const FloatFormat& format, bool& before,
                        bool& after) {
  const bool known = nan.Has(Flag::kBitsKnown) && format.non_finite != NonFinite::kNegZero;
  const bool negative = (nan.nan_bits & format.sign_mask()) != 0;
  before = before || !known || negative;
  after = after || !known || !negative;
}

// Adds the order of two NaNs. The NaN of a format without negative zero has no sign and no position
// in the order (ruling 0059), but it equals itself.
void AddTwoNans(const AcceptanceSet& a, const AcceptanceSet& b, const FloatFormat& format,
                Order& order) {
  order.equal = true;
  if (format.non_finite == NonFinite::kNegZero) return;
  const bool known = a.Has(Flag::kBitsKnown) && b.Has(Flag::kBitsKnown);
  if (!known || a.nan_bits != b.nan_bits) order.less = order.greater = true;
}

Order TotalOrder(const AcceptanceSet& a, const AcceptanceSet& b, const FloatFacts& facts) {
  const View x = ReadSet(a, facts, 0, false), y = ReadSet(b, facts, 0, false);
  const FloatFormat& format = FormatOf(facts.type);
  Order order;
  if (MayBeNumber(x) && MayBeNumber(y)) order = TotalOrderOfNumbers(x, y);
  if (x.nan && MayBeNumber(y)) AddNanBesideNumber(a, format, order.less, order.greater);
  if (y.nan && MayBeNumber(x)) AddNanBesideNumber(b, format, order.greater, order.less);
  if (x.nan && y.nan) AddTwoNans(a, b, format, order);
  return order;
}

AcceptanceSet Outcomes(absl::string_view direction, const Order& order) {
  bool yes = false, no = false;
  auto outcome = [&](bool possible, bool holds) {
    if (possible) (holds ? yes : no) = true;
  };
  bool eq = direction == "EQ", ne = direction == "NE", ge = direction == "GE",
       gt = direction == "GT", le = direction == "LE", lt = direction == "LT";
  outcome(order.less, ne || le || lt);
  outcome(order.equal, eq || ge || le);
  outcome(order.greater, ne || ge || gt);
  outcome(order.unordered, ne);
  AcceptanceSet s = AcceptanceSet::Integers(no ? 0 : 1, yes ? 1 : 0);
  if (!yes && !no) s = AcceptanceSet::Integers(0, 1);
  if (s.ilo != s.ihi) s.cause = WideningCause::kJump;
  return s;
}

}  // namespace

AcceptanceSet MaximumSet(const View& a, const View& b, const SetContext& context) {
  AcceptanceSet s;
  bool drop = context.rule.Allows(kDropNan);
  if (a.nan || b.nan) s.flags |= Flag::kNan;
  auto number = [](const View& v) { return v.finite || v.Infinite(); };
  auto add = [&](double lo, double hi) {
    s.lo = s.finite() ? std::min(s.lo, lo) : lo;
    s.hi = s.finite() ? std::max(s.hi, hi) : hi;
    s.flags |= Flag::kFinite;
  };
  auto take = [&](const View& v) {
    if (v.finite) add(v.lo, v.hi);
    if (v.pos_inf) s.flags |= Flag::kPosInf;
    if (v.neg_inf) s.flags |= Flag::kNegInf;
  };
  if (a.finite && b.finite) add(std::max(a.lo, b.lo), std::max(a.hi, b.hi));
  if (a.finite && b.finite && context.rule.Allows(kFlushOperand)) {
    // Subnormals compare as the zeros that they may be read as, so either operand may be returned.
    double below = std::nextafter(context.operand->min_normal, 0.0);
    auto tiny = [&](const View& v) { return v.lo <= below && v.hi >= -below; };
    if (tiny(a) && tiny(b)) {
      add(std::max(a.lo, -below), std::min(a.hi, below));
      add(std::max(b.lo, -below), std::min(b.hi, below));
    }
  }
  if (a.finite && b.neg_inf) add(a.lo, a.hi);
  if (b.finite && a.neg_inf) add(b.lo, b.hi);
  if ((a.pos_inf && number(b)) || (b.pos_inf && number(a))) s.flags |= Flag::kPosInf;
  if (a.neg_inf && b.neg_inf) s.flags |= Flag::kNegInf;
  if (drop && a.nan) take(b);
  if (drop && b.nan) take(a);
  AddSelectedZeros(a, b, s);
  if (a.integral && b.integral) s.flags |= Flag::kIntegral;
  s.rlo = s.lo;
  s.rhi = s.hi;
  return s;
}

AcceptanceSet NegatedSet(const AcceptanceSet& a) {
  AcceptanceSet s = a;
  auto swap_flags = [&](uint16_t x, uint16_t y) {
    s.flags = (s.flags & ~(x | y)) | (a.Has(x) ? y : 0) | (a.Has(y) ? x : 0);
  };
  swap_flags(Flag::kPosInf, Flag::kNegInf);
  swap_flags(Flag::kPosZero, Flag::kNegZero);
  s.flags &= ~Flag::kBitsKnown;
  s.lo = -a.hi;
  s.hi = -a.lo;
  s.rlo = -a.rhi;
  s.rhi = -a.rlo;
  return s;
}

AcceptanceSet ClampFloat(const AcceptanceSet& min, const AcceptanceSet& operand,
                         const AcceptanceSet& max, const SetContext& context) {
  AcceptanceSet lower = BinaryFloat(Opcode::kMaximum, min, operand, context);
  AcceptanceSet s = BinaryFloat(Opcode::kMinimum, lower, max, context);
  if (!context.rule.Allows(kClampEither) || min.unspecified() || max.unspecified()) return s;
  const bool hull = context.rule.Allows(kSkipRounding);
  View lo = ReadSet(min, *context.operand, 0, hull), hi = ReadSet(max, *context.operand, 0, hull);
  double most = lo.pos_inf ? kInfinity : lo.finite ? lo.hi : -kInfinity;
  double least = hi.neg_inf ? -kInfinity : hi.finite ? hi.lo : kInfinity;
  if (!(most > least)) return s;
  // If the bounds are in the wrong order, either bound may result, possibly flushed (lemmas 14,
  // 27).
  bool flushes = context.rule.Allows(kFlushOperand);
  return Join(s, Join(flushes ? WithFlushes(min, *context.operand) : min,
                      flushes ? WithFlushes(max, *context.operand) : max));
}

ComplexSet ComplexMaximum(bool minimum, const ComplexSet& a, const ComplexSet& b,
                          const SetContext& context) {
  for (const AcceptanceSet* s : {&a.re, &a.im, &b.re, &b.im}) {
    if (s->unspecified()) return OpenSet(WideningCause::kUnknown, context);
  }
  // Orders by the real parts (ruling 0060). If they are equal or NaN, either operand may result.
  auto may_lead = [&](const ComplexSet& x, const ComplexSet& y) {
    return MayBe(minimum ? "LT" : "GT", x.re, y.re, context) || MayBe("EQ", x.re, y.re, context);
  };
  bool nan = MayBeNan(a) || MayBeNan(b);
  bool first = nan || may_lead(a, b), second = nan || may_lead(b, a);
  if (first && second) return JoinBoxes(Selected(a, context), Selected(b, context));
  return Selected(first ? a : b, context);
}

ComplexSet ComplexClamp(const ComplexSet& min, const ComplexSet& operand, const ComplexSet& max,
                        const SetContext& context) {
  ComplexSet lower = ComplexMaximum(false, min, operand, context);
  ComplexSet s = ComplexMaximum(true, lower, max, context);
  if (!context.rule.Allows(kClampEither) || s.re.unspecified()) return s;
  bool wrong_way = MayBe("GT", min.re, max.re, context) ||
                   (MayBe("EQ", min.re, max.re, context) && MayBe("GT", min.im, max.im, context));
  if (!wrong_way) return s;
  return JoinBoxes(s, JoinBoxes(Selected(min, context), Selected(max, context)));
}

AcceptanceSet ComplexCompare(absl::string_view direction, const ComplexSet& a, const ComplexSet& b,
                             const SetContext& context) {
  AcceptanceSet re = CompareFloat("EQ", false, a.re, b.re, context);
  AcceptanceSet im = CompareFloat("EQ", false, a.im, b.im, context);
  AcceptanceSet s = AcceptanceSet::Integers(std::min(re.ilo, im.ilo), std::min(re.ihi, im.ihi));
  if (direction == "NE") s = AcceptanceSet::Integers(1 - s.ihi, 1 - s.ilo);
  s.origin = context.origin;
  if (s.ilo != s.ihi) s.cause = WideningCause::kJump;
  return s;
}

AcceptanceSet CompareFloat(absl::string_view direction, bool total_order, const AcceptanceSet& a,
                           const AcceptanceSet& b, const SetContext& context) {
  if (a.unspecified() || b.unspecified()) {
    AcceptanceSet s = AcceptanceSet::Integers(0, 1);
    s.cause = WideningCause::kUnknown;
    s.origin = a.unspecified() ? a.origin : b.origin;
    return s;
  }
  bool hull = context.rule.Allows(kSkipRounding);
  Order order = total_order
                    ? TotalOrder(a, b, *context.operand)
                    : NumericOrder(ReadSet(a, *context.operand, context.rule.permissions, hull),
                                   ReadSet(b, *context.operand, context.rule.permissions, hull));
  AcceptanceSet s = Outcomes(direction, order);
  s.origin = context.origin;
  return s;
}

AcceptanceSet IsFiniteFloat(const AcceptanceSet& a, const SetContext& context) {
  if (a.unspecified()) return AcceptanceSet::Integers(0, 1);
  bool no = a.Has(Flag::kNan) || a.Has(Flag::kPosInf) || a.Has(Flag::kNegInf);
  bool yes = a.finite() || (context.rule.Allows(kSkipRounding) && a.Has(Flag::kPreRounding));
  AcceptanceSet s = AcceptanceSet::Integers(no ? 0 : 1, yes ? 1 : 0);
  s.origin = context.origin;
  if (no && yes) s.cause = WideningCause::kOverflow;
  return s;
}

}  // namespace hlocts
