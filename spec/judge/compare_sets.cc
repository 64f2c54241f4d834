// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "spec/judge/float_images.h"

namespace hlocts {

namespace {

using Flag = AcceptanceSet::Flag;

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

// Adds the positions of a NaN relative to a number. The order puts a NaN before or after all
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

using Flag = AcceptanceSet::Flag;

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
