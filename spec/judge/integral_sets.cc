// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "spec/judge/float_images.h"
#include "spec/ops/kinds.h"

namespace hlocts {

using Flag = AcceptanceSet::Flag;

namespace {

double RoundAwayFromZero(double x) { return std::round(x); }
double RoundToEven(double x) { return std::nearbyint(x); }
double SignValue(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

// Replaces integral values beyond the format's range. Rounding away from zero may overflow a narrow
// format: ceil(15.5) is an infinity in f8e3m4.
void LimitIntegral(const SetContext& context, AcceptanceSet& s) {
  const FloatFacts& facts = *context.result;
  constexpr uint16_t kZeros = Flag::kPosZero | Flag::kNegZero;
  if (context.rule.Allows(kZeroSignFree) && facts.negative_zero && (s.flags & kZeros)) {
    s.flags |= kZeros;
  }
  bool over = s.hi > facts.max, under = s.lo < -facts.max;
  if (over) s.flags |= facts.infinity ? Flag::kPosInf : facts.nan ? Flag::kNan : Flag::kFinite;
  if (under) s.flags |= facts.infinity ? Flag::kNegInf : facts.nan ? Flag::kNan : Flag::kFinite;
  bool gone = s.lo > facts.max || s.hi < -facts.max;
  if (gone && (facts.infinity || facts.nan) && !context.rule.Allows(kMaxOrInfinity)) {
    s.flags &= ~Flag::kFinite;
  }
  s.lo = facts.Round(std::max(-facts.max, std::min(s.lo, facts.max)));
  s.hi = facts.Round(std::max(-facts.max, std::min(s.hi, facts.max)));
}

}  // namespace

RealMap IntegralMap(Opcode opcode) {
  const std::optional<ops::Rounding> rounding = ops::RoundingOf(opcode);
  if (!rounding.has_value()) return nullptr;
  switch (*rounding) {
    case ops::Rounding::kFloor:
      return std::floor;
    case ops::Rounding::kCeil:
      return std::ceil;
    case ops::Rounding::kRoundNearestAfz:
      return RoundAwayFromZero;
    case ops::Rounding::kRoundNearestEven:
      return RoundToEven;
    case ops::Rounding::kSign:
      return SignValue;
  }
  HLOCTS_UNREACHABLE();
}

AcceptanceSet ToIntegral(RealMap map, bool is_sign, const View& v, const SetContext& context) {
  AcceptanceSet s;
  if (v.nan) s.flags |= Flag::kNan;
  auto add = [&](double x) {
    double y = map(x);
    s.lo = s.finite() ? std::min(s.lo, y) : y;
    s.hi = s.finite() ? std::max(s.hi, y) : y;
    s.flags |= Flag::kFinite;
    if (y == 0) s.flags |= std::signbit(y) ? Flag::kNegZero : Flag::kPosZero;
  };
  // The least magnitude that the operation may read; for unrounded values, the least double.
  const double tiny = context.rule.Allows(kSkipRounding) ? 0x1p-1074 : context.operand->tiny;
  if (v.finite && v.Positive()) {
    add(std::max(v.lo, tiny));
    add(v.hi);
  }
  if (v.finite && v.Negative()) {
    add(v.lo);
    add(std::min(v.hi, -tiny));
  }
  if (v.pos_zero) add(0.0);
  if (v.neg_zero) add(-0.0);
  if (v.pos_inf && is_sign) add(1);
  if (v.neg_inf && is_sign) add(-1);
  if (v.pos_inf && !is_sign) s.flags |= Flag::kPosInf;
  if (v.neg_inf && !is_sign) s.flags |= Flag::kNegInf;
  s.flags |= Flag::kIntegral;
  const AcceptanceSet wide = s;
  if (s.finite()) LimitIntegral(context, s);
  s.rlo = s.lo;
  s.rhi = s.hi;
  // An integer that the format cannot represent comes from an unrounded operand.
  if (context.rule.Allows(kSkipRounding)) s = KeepUnrounded(s, wide);
  if (s.finite() && s.lo != s.hi) s.cause = WideningCause::kJump;
  return s;
}

AcceptanceSet Absolute(const View& v) {
  AcceptanceSet s;
  if (v.nan) s.flags |= Flag::kNan;
  if (v.Infinite()) s.flags |= Flag::kPosInf;
  if (v.Zero()) s.flags |= Flag::kPosZero;
  if (v.integral) s.flags |= Flag::kIntegral;
  if (v.finite) {
    s.flags |= Flag::kFinite;
    bool inside = v.lo <= 0 && v.hi >= 0;
    s.lo = inside ? 0 : std::min(std::fabs(v.lo), std::fabs(v.hi));
    s.hi = std::max(std::fabs(v.lo), std::fabs(v.hi));
    if (inside) s.flags |= Flag::kPosZero;
  }
  s.rlo = s.lo;
  s.rhi = s.hi;
  return s;
}

}  // namespace hlocts
