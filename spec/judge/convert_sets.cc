// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "spec/judge/float_images.h"

namespace hlocts {

using Flag = AcceptanceSet::Flag;

namespace {

// Returns the format with these widths. If `own_range`, it has the operand's exponent range.
FloatFacts ReducedFacts(const FloatFacts& operand, int exponent_bits, int mantissa_bits,
                        bool own_range) {
  FloatFacts target = operand;
  const int bias = own_range ? 0 : (1 << (exponent_bits - 1)) - 1;
  target.p = std::min(mantissa_bits, operand.p - 1) + 1;
  target.emin = own_range ? operand.emin : std::max(1 - bias, operand.emin);
  target.type = PrimitiveType::kInvalid;  // keeps Round from treating it as f32 or f64
  target.is_f64 = target.p == 53 && operand.is_f64;
  target.min_normal = std::ldexp(1.0, target.emin);
  target.tiny = std::ldexp(1.0, target.emin - target.p + 1);
  const int emax = own_range ? std::ilogb(operand.max) : bias;
  target.max = std::min(operand.max, std::ldexp(2 - std::ldexp(1.0, 1 - target.p), emax));
  return target;
}

// Rounds to the target's precision with the operand's exponent range, then applies the target's
// range. If `normalized`, the bits of a subnormal operand are counted from its leading one.
double RoundReduced(double x, const FloatFacts& target, const FloatFacts& operand,
                    bool normalized) {
  if (std::isinf(x)) return x;
  FloatFacts precise = target;
  precise.emin = operand.emin;
  precise.max = kLargestDouble / 4;
  // Near the end of double's range, rounds x / 4, since Round computes intermediate values above x.
  const double size = std::fabs(x);
  const double scale = size > precise.max                        ? 0.25
                       : normalized && size < operand.min_normal ? 0x1p128
                                                                 : 1;
  const double y = precise.is_f64 ? x : precise.Round(x * scale) / scale;
  return std::fabs(y) > target.max ? std::copysign(kInfinity, y) : y;
}

// Moves a tie towards the side `up`. Without mantissa bits, neither neighbour of a tie has an even
// last digit. IEEE 754 rounds to the larger neighbour, but the even bit pattern may belong to the
// smaller (ruling 0053). Both are accepted. The neighbours of x are x / 1.5 and x * 4 / 3.
double BesideTie(double x, bool up, const FloatFacts& target) {
  int exponent;
  if (target.p != 1 || std::fabs(std::frexp(x, &exponent)) != 0.75) return x;
  return x * ((x > 0) == up ? 4 / 3.0 : 1 / 1.5);
}

void StoreReduced(const View& v, const FloatFacts& target, const SetContext& context,
                  Stored& stored) {
  // A subnormal's bits are counted from its leading one or from the implicit bit (ruling 0053).
  const auto round = [&](double x, bool up, bool normalized) {
    return RoundReduced(BesideTie(x, up, target), target, *context.operand, normalized);
  };
  const double lo = std::min(round(v.lo, false, false), round(v.lo, false, true));
  const double hi = std::max(round(v.hi, true, false), round(v.hi, true, true));
  SetContext plain = context;
  plain.rule.permissions = 0;
  StoreFinite(std::max(lo, -kInfinity), hi, false, plain, stored);
  if (stored.present) {
    // Numbers below the target's least normal underflow gradually or become a signed zero.
    auto tiny = [&](double x) { return x != 0 && std::fabs(x) < target.min_normal; };
    auto steps = [&](double x) { return std::nearbyint(x / target.tiny) * target.tiny; };
    if (tiny(v.lo)) stored.lo = std::min(stored.lo, steps(v.lo));
    if (tiny(v.hi)) stored.hi = std::max(stored.hi, steps(v.hi));
  }
  if (MeetsBelow(v.lo, v.hi, target.min_normal)) stored.AddZero(Flag::kPosZero);
  if (MeetsBelow(-v.hi, -v.lo, target.min_normal)) stored.AddZero(Flag::kNegZero);
}

AcceptanceSet ReducedPrecision(const View& v, int exponent_bits, int mantissa_bits, bool own_range,
                               const SetContext& context) {
  const FloatFacts target = ReducedFacts(*context.operand, exponent_bits, mantissa_bits, own_range);
  Stored stored;
  if (v.finite) StoreReduced(v, target, context, stored);
  if (v.pos_zero) stored.AddZero(Flag::kPosZero);
  if (v.neg_zero) stored.AddZero(Flag::kNegZero);
  if (v.pos_inf) AddOverflow(*context.result, false, stored);
  if (v.neg_inf) AddOverflow(*context.result, true, stored);
  if (v.nan) stored.flags |= Flag::kNan;
  AcceptanceSet s;
  s.flags = stored.flags | (stored.present ? Flag::kFinite : 0);
  s.lo = s.rlo = stored.lo;
  s.hi = s.rhi = stored.hi;
  return s;
}

}  // namespace

AcceptanceSet ReducePrecisionFloat(const AcceptanceSet& a, int exponent_bits, int mantissa_bits,
                                   const SetContext& context) {
  if (a.unspecified()) return a;
  View v =
      ReadSet(a, *context.operand, context.rule.permissions, context.rule.Allows(kSkipRounding));
  const FloatFormat& format = FormatOf(context.operand->type);
  bool own_range = exponent_bits >= format.exponent_bits;
  AcceptanceSet s = ReducedPrecision(v, exponent_bits, mantissa_bits, own_range, context);
  // If the operand's format has `exponent_bits`, but not IEEE 754's bias or infinities, the range
  // of the result is that of the format or that of IEEE 754 (ruling 0053).
  if (exponent_bits == format.exponent_bits && format.non_finite != NonFinite::kIeee) {
    s = Join(s, ReducedPrecision(v, exponent_bits, mantissa_bits, false, context));
  }
  return WithCause(s, context, {&a});
}

namespace {

// A conversion to the same type keeps numbers. It may flush, and may return any NaN for a NaN.
AcceptanceSet ConvertToItself(const AcceptanceSet& a, const SetContext& context) {
  AcceptanceSet s = a;
  if (s.Has(Flag::kBitsKnown)) s.flags = Flag::kNan;
  bool flushes = context.rule.Allows(kFlushOperand) || context.rule.Allows(kFlushResult);
  if (flushes) s = WithFlushes(s, *context.operand);
  if (a.cause == WideningCause::kPoint && s.cause != WideningCause::kPoint)
    s.origin = context.origin;
  return s;
}

}  // namespace

AcceptanceSet ConvertFloatToFloat(const AcceptanceSet& a, const SetContext& context) {
  if (a.unspecified()) return a;
  const FloatFacts& from = *context.operand;
  const FloatFacts& to = *context.result;
  if (from.type == to.type) return ConvertToItself(a, context);
  bool wider = to.p > from.p;
  bool hull = context.rule.Allows(kSkipRounding) || (wider && context.rule.Allows(kElideToWider));
  View v = ReadSet(a, from, context.rule.permissions, hull);
  // f8e8m0fnu has neither zero nor sign, so results for zeros and negatives are unspecified.
  if (!to.has_zero && (v.Zero() || v.Negative() || v.neg_inf)) {
    return AcceptanceSet::Unspecified(WideningCause::kFormat, context.origin);
  }
  Image r{.nan = v.nan, .pos_inf = v.pos_inf, .neg_inf = v.neg_inf};
  SetZeros(ZeroSigns(v), r);
  if (v.finite) {
    Include(Point(v.lo), r);
    Include(Point(v.hi), r);
  }
  SetContext own = context;
  bool twice = from.p > 24 || BitWidth(to.type) <= 8;
  if (!twice) own.rule.permissions &= ~kDoubleRounding;
  AcceptanceSet s = StoreImage(r, own);
  if (a.Has(Flag::kIntegral) && !s.Has(Flag::kPreRounding) && to.p >= 11)
    s.flags |= Flag::kIntegral;
  if (a.Has(Flag::kContractible)) MarkContractible(s);
  return WithCause(s, context, {&a}, hull ? Flag::kPreRounding : 0);
}

namespace {

struct IntegerRange {
  Int128 lo, hi;
};
IntegerRange RangeOf(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return {0, 1};
  int bits = BitWidth(type);
  if (!IsSigned(type)) return {0, (Int128{1} << bits) - 1};
  return {-(Int128{1} << (bits - 1)), (Int128{1} << (bits - 1)) - 1};
}

// The truncated operands of a conversion to integers. Numbers beyond the range become its ends.
struct Truncated {
  IntegerRange range;
  Int128 lo = 0, hi = 0;
  bool first = true, outside = false;

  void Add(Int128 x) {
    lo = first ? x : std::min(lo, x);
    hi = first ? x : std::max(hi, x);
    first = false;
  }
  void AddReal(double x) {
    constexpr double kBeyondAll = 0x1p100;  // beyond every integer type, but well within Int128
    x = std::trunc(x);
    const bool fits = std::fabs(x) < kBeyondAll;
    const bool over = x >= kBeyondAll || (fits && static_cast<Int128>(x) > range.hi);
    const bool under = x <= -kBeyondAll || (fits && static_cast<Int128>(x) < range.lo);
    outside = outside || over || under;
    Add(over ? range.hi : under ? range.lo : static_cast<Int128>(x));
  }
};

AcceptanceSet ConvertFloatToPred(const View& v, const SetContext& context) {
  const bool yes = v.nan || v.Infinite() || v.Positive() || v.Negative();
  AcceptanceSet s = AcceptanceSet::Integers(v.Zero() ? 0 : 1, yes ? 1 : 0);
  s.origin = context.origin;
  if (s.ilo != s.ihi) s.cause = WideningCause::kUnderflow;
  return s;
}

}  // namespace

AcceptanceSet ConvertFloatToInteger(const AcceptanceSet& a, PrimitiveType to, bool saturate,
                                    const SetContext& context) {
  if (a.unspecified()) return a;
  bool hull = context.rule.Allows(kSkipRounding);
  View v = ReadSet(a, *context.operand, context.rule.permissions, hull);
  if (to == PrimitiveType::kPred) return ConvertFloatToPred(v, context);
  Truncated values = {RangeOf(to)};
  if (v.finite) {
    values.AddReal(v.lo);
    values.AddReal(v.hi);
  }
  if (v.Zero()) values.Add(0);
  if (v.pos_inf) values.Add(values.range.hi);
  if (v.neg_inf) values.Add(values.range.lo);
  if (v.nan) values.Add(0);
  // The documents do not define the result for a value out of range (lemma 20).
  const bool outside = values.outside || v.nan || v.Infinite();
  if (outside && !saturate)
    return AcceptanceSet::Unspecified(WideningCause::kFreedom, context.origin);
  AcceptanceSet s = AcceptanceSet::Integers(values.lo, values.hi);
  s.origin = context.origin;
  if (values.lo != values.hi) s.cause = WideningCause::kJump;
  return s;
}

AcceptanceSet ConvertIntegerToFloat(const AcceptanceSet& a, PrimitiveType from,
                                    const SetContext& context) {
  if (a.unspecified()) return a;
  auto bound = [](Int128 x) {
    double d = static_cast<double>(x);  // correctly rounded
    return Bound{d,
                 static_cast<int8_t>((x > static_cast<Int128>(d)) - (x < static_cast<Int128>(d)))};
  };
  Image r;
  Include(bound(a.ilo), r);
  Include(bound(a.ihi), r);
  r.pos_zero = a.ilo <= 0 && a.ihi >= 0;
  SetContext own = context;
  bool twice = BitWidth(from) >= 32 || BitWidth(context.result->type) <= 8;
  if (!twice) own.rule.permissions &= ~kDoubleRounding;
  if (!context.result->has_zero && a.ilo <= 0) {
    return AcceptanceSet::Unspecified(WideningCause::kFormat, context.origin);
  }
  AcceptanceSet s = StoreImage(r, own);
  // The conversion may go through f64, which does not represent all 64-bit integers. The rounding
  // to f64 is monotone, so it suffices to round the ends of the interval (lemma 8).
  if (BitWidth(from) == 64 && context.result->p == 24 && context.rule.Allows(kConvertTwice)) {
    Image twice_rounded = r;
    twice_rounded.lo = Point(r.lo.value);
    twice_rounded.hi = Point(r.hi.value);
    s = Join(s, StoreImage(twice_rounded, own));
  }
  s.origin = context.origin;
  if (s.finite() && s.lo != s.hi) {
    s.cause = a.ilo == a.ihi ? WideningCause::kDoubleRound : a.cause;
    if (a.ilo != a.ihi) s.origin = a.origin;
  }
  return s;
}

}  // namespace hlocts
