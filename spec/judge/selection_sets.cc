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
  // A zero inside an interval may be one of the operands, with either sign.
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
// Returns an operand as a selection returns it: subnormal parts may have been flushed.
ComplexSet Selected(const ComplexSet& z, const SetContext& context) {
  if (!context.rule.Allows(kFlushOperand)) return z;
  return {WithFlushes(z.re, *context.operand), WithFlushes(z.im, *context.operand)};
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
  // If the bounds are in the wrong order, either bound or its flush may result (lemmas 14, 27).
  bool flushes = context.rule.Allows(kFlushOperand);
  return Join(s, Join(flushes ? WithFlushes(min, *context.operand) : min,
                      flushes ? WithFlushes(max, *context.operand) : max));
}

ComplexSet ComplexMaximum(bool minimum, const ComplexSet& a, const ComplexSet& b,
                          const SetContext& context) {
  for (const AcceptanceSet* s : {&a.re, &a.im, &b.re, &b.im}) {
    if (s->unspecified()) return OpenSet(WideningCause::kUnknown, context);
  }
  // Orders by the real part (ruling 0060). If the parts are equal or NaN, either may be returned.
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

}  // namespace hlocts
