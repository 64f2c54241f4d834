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

Order TotalOrder(const AcceptanceSet& a, const AcceptanceSet& b, const FloatFacts& facts) {
  View x = ReadSet(a, facts, 0, false), y = ReadSet(b, facts, 0, false);
  if (x.nan || y.nan) {
    // The one NaN of these formats has no sign: the chain has no place for it (ruling 0059).
    if (FormatOf(facts.type).non_finite == NonFinite::kNegZero) {
      return {x.nan != y.nan, x.nan && y.nan, x.nan != y.nan, false};
    }
    bool known = a.Has(Flag::kBitsKnown) && b.Has(Flag::kBitsKnown);
    if (known && a.nan_bits == b.nan_bits) return {false, true, false, false};
    // A NaN ranks first or last by its sign, which is known only where its bits are.
    const FloatFormat& format = FormatOf(facts.type);
    auto negative = [&](const AcceptanceSet& s) { return (s.nan_bits & format.sign_mask()) != 0; };
    if (a.Has(Flag::kBitsKnown) && !y.nan) return {negative(a), false, !negative(a), false};
    if (b.Has(Flag::kBitsKnown) && !x.nan) return {!negative(b), false, negative(b), false};
    return {true, true, true, false};
  }
  Order order = NumericOrder(x, y);
  if (x.Zero() && y.Zero()) {
    order.equal =
        (x.pos_zero && y.pos_zero) || (x.neg_zero && y.neg_zero) || x.lo != x.hi || y.lo != y.hi;
    order.less = order.less || (x.neg_zero && y.pos_zero);
    order.greater = order.greater || (x.pos_zero && y.neg_zero);
  }
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
  if (s.ilo != s.ihi) s.term = Term::kJump;
  return s;
}

}  // namespace

using Flag = AcceptanceSet::Flag;

AcceptanceSet CompareFloat(absl::string_view direction, bool total_order, const AcceptanceSet& a,
                           const AcceptanceSet& b, const SetContext& context) {
  if (a.unspecified() || b.unspecified()) {
    AcceptanceSet s = AcceptanceSet::Integers(0, 1);
    s.term = Term::kUnknown;
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
  bool yes = a.finite() || (context.rule.Allows(kSkipRounding) && a.Has(Flag::kHull));
  AcceptanceSet s = AcceptanceSet::Integers(no ? 0 : 1, yes ? 1 : 0);
  s.origin = context.origin;
  if (no && yes) s.term = Term::kOverflow;
  return s;
}

}  // namespace hlocts
