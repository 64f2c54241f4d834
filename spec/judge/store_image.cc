// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "spec/judge/float_images.h"
#include "spec/judge/real.h"

namespace hlocts {

using Flag = AcceptanceSet::Flag;

void AddOverflow(const FloatFacts& facts, bool negative, Stored& stored) {
  if (facts.infinity) {
    stored.flags |= negative ? Flag::kNegInf : Flag::kPosInf;
  } else if (facts.nan) {
    stored.flags |= Flag::kNan;
  }
}

namespace {

// Widens an interval by the error that a rule allows at each number, called its reach. The reach
// may jump at powers of two (lemmas 17, 41).

// Returns the smallest power of two in (lo, hi] for positive lo, or 0 if there is none.
inline double PowerOfTwoAbove(double lo, double hi) {
  if (!(lo > 0) || std::isinf(lo)) return 0;
  if (lo < 0x1p-1022 || lo >= 0x1p1023) return 0;
  double power = PowerOfTwo(ExponentOf(lo) + 1);
  return power <= hi ? power : 0;
}

// Returns the lowest number reached from hi or from the largest power of two in the interval. It
// may be below what lo reaches if a module requests a tolerance that exceeds the number itself.
template <typename Reach>
double ReachedFromAbove(Reach reach, double lo, double hi) {
  if (!(hi > 0)) return kInfinity;
  hi = std::min(hi, kLargestDouble);
  const double power = hi < 0x1p-1022 ? 0 : PowerOfTwo(ExponentOf(hi));
  return std::min(hi - reach(hi), power > std::max(lo, 0.0) ? power - reach(power) : kInfinity);
}

// Widens [lo, hi] by the reach(t) of each of its numbers t.
template <typename Reach>
void Widen(Reach reach, double& lo, double& hi) {
  double lower = std::isinf(lo) ? lo : lo - reach(lo);
  double upper = std::isinf(hi) ? hi : hi + reach(hi);
  lower = std::min(lower, ReachedFromAbove(reach, lo, hi));
  upper = std::max(upper, -ReachedFromAbove(reach, -hi, -lo));
  // At a power of two the unit doubles, so the downward reach of that power may be the longest.
  if (double power = PowerOfTwoAbove(lo, hi); power > 0) {
    lower = std::min(lower, power - reach(power));
  }
  if (double power = PowerOfTwoAbove(-hi, -lo); power > 0) {
    upper = std::max(upper, -power + reach(power));
  }
  lo = lower;
  hi = upper;
}

bool SaturationAllowed(const SetContext& context) {
  const FloatFacts& facts = *context.result;
  if (!facts.nan) return true;
  return !facts.infinity || BitWidth(facts.type) <= 8 ? context.rule.Allows(kDoubleRounding)
                                                      : false;
}

}  // namespace

// Overflow replaces numbers beyond the largest value only here, where values are stored (lemma 6).
void StoreFinite(double slo, double shi, bool keep_max, const SetContext& context, Stored& stored) {
  const FloatFacts& facts = *context.result;
  keep_max = keep_max || SaturationAllowed(context);
  bool over = shi > facts.max, under = slo < -facts.max;
  if (over) AddOverflow(facts, false, stored);
  if (under) AddOverflow(facts, true, stored);
  bool beyond = slo > facts.max || shi < -facts.max;
  if (beyond && !keep_max) return;
  stored.present = true;
  stored.lo = std::clamp(slo, -facts.max, facts.max);
  stored.hi = std::clamp(shi, -facts.max, facts.max);
}

namespace {

// Adds the zeros to which numbers in [rlo, rhi] are rounded or flushed.
void AddUnderflow(double rlo, double rhi, const SetContext& context, Stored& stored) {
  const FloatFacts& facts = *context.result;
  bool flush = context.rule.Allows(kFlushResult);
  // Values up to half the least positive value round to zero; if flushed, all subnormals are zero.
  double limit = flush ? facts.min_normal : facts.tiny / 2;
  bool inclusive = !flush;
  auto meets = [&](double lo, double hi) {
    return hi > 0 && (inclusive ? lo <= limit : lo < limit);
  };
  if (meets(rlo, rhi)) stored.AddZero(Flag::kPosZero);
  if (meets(-rhi, -rlo)) stored.AddZero(Flag::kNegZero);
}

// Rounds through an intermediate format, as in f8 arithmetic or conversions to 16 bits (lemma 8).
double RoundVia(PrimitiveType via, const FloatFacts& facts, const Bound& x) {
  double rounded = FactsOf(via).Round(x);
  return std::isinf(rounded) ? rounded : facts.Round(rounded);
}
void WidenByDoubleRounding(const Image& image, const SetContext& context, double& slo,
                           double& shi) {
  if (!context.rule.Allows(kDoubleRounding)) return;
  const FloatFacts& facts = *context.result;
  int width = BitWidth(facts.type);
  if (width > 16) return;
  auto via = [&](PrimitiveType type) {
    slo = std::min(slo, RoundVia(type, facts, image.lo));
    shi = std::max(shi, RoundVia(type, facts, image.hi));
  };
  via(PrimitiveType::kF32);
  if (width > 8) return;
  via(PrimitiveType::kF16);
  via(PrimitiveType::kBF16);
}

// Rounds to the powers of two of f8e8m0fnu. A tie, 1.5 times a power, goes either way (ruling
// 0035); by way of a format of at least 8 bits (lemma 8), so does a number within 2^-8 of it,
// relatively.
void RoundToPowersOfTwo(double lo, double hi, const SetContext& context, double& slo, double& shi) {
  const FloatFacts& facts = *context.result;
  const double near = context.rule.Allows(kDoubleRounding) ? 1.5 * 0x1p-8 : 0;
  const auto inside = [&](double x) { return x > facts.tiny && x < facts.max; };
  slo = facts.RoundDown(lo);
  if (inside(lo) && lo > (1.5 + near) * slo) slo = facts.RoundUp(lo);
  const double below = facts.RoundDown(hi);
  shi = facts.RoundUp(hi);
  if (inside(hi) && hi < (1.5 - near) * below) shi = below;
}

void StoreCorrectlyRounded(const Image& image, const SetContext& context, Stored& stored) {
  const FloatFacts& facts = *context.result;
  double slo = facts.Round(image.lo), shi = facts.Round(image.hi);
  // An end is NaN if the pre-rounding interval of an operand is unbounded.
  if (std::isnan(slo)) slo = -kInfinity;
  if (std::isnan(shi)) shi = kInfinity;
  WidenByDoubleRounding(image, context, slo, shi);
  if (!facts.has_zero) RoundToPowersOfTwo(image.lo.Down(), image.hi.Up(), context, slo, shi);
  StoreFinite(slo, shi, false, context, stored);
  AddUnderflow(image.lo.Down(), image.hi.Up(), context, stored);
}

// Returns the largest distance from the exact result `t` that the rule allows.
double Margin(double t, const SetContext& context, double argument) {
  const Rule& rule = context.rule;
  double magnitude = std::fabs(t);
  bool big = rule.big_exponent != INT16_MAX && magnitude >= PowerOfTwo(rule.big_exponent);
  double ulps = (big ? rule.big_ulps : rule.ulps) + rule.ulps_per_argument * argument;
  double margin = std::max(ulps * context.result->Ulp(t), static_cast<double>(rule.absolute));
  margin += rule.relative * magnitude + rule.added;
  return context.result->is_f64 ? NextUp(margin) : margin;
}

// Adds infinities, since an intermediate value may overflow although the result is in range.
void AddIntermediateOverflow(double tlo, double thi, const SetContext& context, Stored& stored) {
  if (context.rule.overflow_exponent == INT16_MAX) return;
  const double least = std::ldexp(1.0, context.rule.overflow_exponent);
  if (thi >= least) AddOverflow(*context.result, false, stored);
  if (tlo <= -least) AddOverflow(*context.result, true, stored);
}

void StoreUlps(const Image& image, const SetContext& context, double argument, Stored& stored) {
  const FloatFacts& facts = *context.result;
  double tlo = image.lo.Down(), thi = image.hi.Up();
  if (std::isnan(tlo)) tlo = -kInfinity;
  if (std::isnan(thi)) thi = kInfinity;
  double lower = tlo, upper = thi;
  Widen([&](double t) { return Margin(t, context, argument); }, lower, upper);
  if (facts.is_f64) lower = NextDown(lower), upper = NextUp(upper);
  if (!context.rule.Allows(kNoRangeGuard)) {
    lower = std::max(lower, context.guard.lo);
    upper = std::min(upper, context.guard.hi);
  }
  double slo = lower > facts.max ? kInfinity : facts.RoundUp(lower);
  double shi = upper < -facts.max ? -kInfinity : facts.RoundDown(upper);
  if (!facts.has_zero) slo = facts.RoundDown(lower), shi = facts.RoundUp(upper);
  if (upper > facts.max) shi = kInfinity;
  if (lower < -facts.max) slo = -kInfinity;
  if (slo > shi) slo = facts.Round(tlo), shi = facts.Round(thi);
  // Below twice the largest value, an engine may return the largest value or infinity.
  bool near = std::min(std::fabs(tlo), std::fabs(thi)) < 2 * facts.max || facts.is_f64;
  StoreFinite(slo, shi, near && context.rule.Allows(kMaxOrInfinity), context, stored);
  // The intermediate value that may overflow has the same bound in ulps as the result.
  AddIntermediateOverflow(std::min(tlo, lower), std::max(thi, upper), context, stored);
  AddUnderflow(std::min(tlo, lower), std::max(thi, upper), context, stored);
  // Instead of a smaller number, a function may also return the least normal.
  if (context.rule.Allows(kFlushResult) && stored.present) {
    if (thi > facts.tiny / 2 && tlo < facts.min_normal) {
      stored.hi = std::max(stored.hi, std::min(facts.min_normal, context.guard.hi));
    }
    if (-tlo > facts.tiny / 2 && -thi < facts.min_normal) {
      stored.lo = std::min(stored.lo, std::max(-facts.min_normal, context.guard.lo));
    }
  }
}

// Widens [rlo, rhi] to the numbers that a rule of n ulps accepts before they are stored.
void WidenByUlps(const SetContext& context, double argument, double& rlo, double& rhi) {
  auto reach = [&](double t) {
    return std::max(0.0, Margin(t, context, argument) - context.result->Ulp(t) / 2);
  };
  double lo = rlo, hi = rhi;
  Widen(reach, lo, hi);
  if (rlo >= 0) lo = std::max(lo, 0.0);
  if (rhi <= 0) hi = std::min(hi, 0.0);
  if (!context.rule.Allows(kNoRangeGuard)) {
    lo = std::max(lo, context.guard.lo);
    hi = std::min(hi, context.guard.hi);
  }
  rlo = std::min(rlo, lo);
  rhi = std::max(rhi, hi);
}

// Adds the pre-rounding interval, including roundings to wider formats (lemma 7).
//
// A rule of n ulps allows n - 1/2 ulps before storing and half an ulp for storing. A consumer that
// skips that rounding reads any number within n - 1/2 ulps of the exact value, representable in the
// format or not (e.g. x times the rounded reciprocal of c, for x / c).
void AddPreRounding(const Image& image, const SetContext& context, double argument,
                    AcceptanceSet& s) {
  double rlo = image.lo.Down(), rhi = image.hi.Up();
  if (std::isnan(rlo)) rlo = -kInfinity;
  if (std::isnan(rhi)) rhi = kInfinity;
  if (context.rule.rule_class == RuleClass::kUlp) WidenByUlps(context, argument, rlo, rhi);
  if (BitWidth(context.result->type) <= 16) {
    rlo = std::min(rlo, FactsOf(PrimitiveType::kF32).Round(rlo));
    rhi = std::max(rhi, FactsOf(PrimitiveType::kF32).Round(rhi));
  }
  if (s.finite()) {
    rlo = std::min(rlo, s.lo);
    rhi = std::max(rhi, s.hi);
  }
  s.rlo = rlo;
  s.rhi = rhi;
  // The pre-rounding interval may contain numbers between zero and `tiny`; the format has none.
  const double tiny = context.result->tiny;
  const double lo = image.lo.Down(), hi = image.hi.Up();
  const bool below = MeetsBelow(lo, hi, tiny) || MeetsBelow(-hi, -lo, tiny);
  if (!s.finite() || rlo != s.lo || rhi != s.hi || below) s.flags |= Flag::kPreRounding;
}

// Adds the largest values, which a saturating engine returns instead of infinities.
void AddSaturated(const Image& image, const FloatFacts& facts, Stored& stored) {
  const double lo = image.neg_inf ? -facts.max : facts.max;
  const double hi = image.pos_inf ? facts.max : -facts.max;
  stored.lo = stored.present ? std::min(stored.lo, lo) : lo;
  stored.hi = stored.present ? std::max(stored.hi, hi) : hi;
  stored.present = true;
}

// Adds zeros to an interval that contains 0: both zeros if 0 is in its interior, and the zero with
// the sign of the other numbers if 0 is an end.
void AddInnerZeros(const SetContext& context, Stored& stored) {
  constexpr uint16_t kZeros = Flag::kPosZero | Flag::kNegZero;
  if (stored.present && stored.lo <= 0 && stored.hi >= 0 && !(stored.flags & kZeros)) {
    const bool both = (stored.lo < 0 && stored.hi > 0) || (stored.lo == 0 && stored.hi == 0);
    const uint16_t one = stored.hi > 0 ? Flag::kPosZero : Flag::kNegZero;
    stored.flags |= both ? kZeros : one;
  }
  if (context.rule.Allows(kZeroSignFree) && (stored.flags & kZeros)) stored.flags |= kZeros;
}

}  // namespace

AcceptanceSet StoreImage(const Image& image, const SetContext& context, double argument) {
  const FloatFacts& facts = *context.result;
  Stored stored;
  AcceptanceSet s;
  if (image.finite) {
    if (context.rule.rule_class == RuleClass::kUlp) {
      StoreUlps(image, context, argument, stored);
    } else {
      StoreCorrectlyRounded(image, context, stored);
    }
  }
  if (image.pos_zero) stored.AddZero(Flag::kPosZero);
  if (image.neg_zero) stored.AddZero(Flag::kNegZero);
  if (image.pos_inf) AddOverflow(facts, false, stored);
  if (image.neg_inf) AddOverflow(facts, true, stored);
  if (image.nan) stored.flags |= Flag::kNan;
  if ((image.pos_inf || image.neg_inf) && SaturationAllowed(context))
    AddSaturated(image, facts, stored);
  if (image.nan && !facts.nan)
    return AcceptanceSet::Unspecified(WideningCause::kFreedom, context.origin);
  AddInnerZeros(context, stored);
  s.flags = stored.flags | (stored.present ? Flag::kFinite : 0);
  s.lo = s.rlo = stored.lo;
  s.hi = s.rhi = stored.hi;
  if (image.finite) AddPreRounding(image, context, argument, s);
  // A consumer that reads an unrounded value may read an infinity, which this format does not have.
  if (s.finite() && !facts.infinity && (image.pos_inf || image.neg_inf)) {
    if (image.pos_inf) s.rhi = kInfinity;
    if (image.neg_inf) s.rlo = -kInfinity;
    s.flags |= Flag::kPreRounding;
  }
  s = InFormat(s, context);
  if (s.unspecified()) return s;
  s.origin = context.origin;
  if (!s.IsPoint()) s.cause = OwnTerm(s, FlushExplains(s, context, {}), context);
  return s;
}

void AddPartialOverflow(bool above, bool below, const SetContext& context, AcceptanceSet& s) {
  if (!above && !below) return;
  const FloatFacts& facts = *context.result;
  Stored stored;
  if (above) AddOverflow(facts, false, stored);
  if (below) AddOverflow(facts, true, stored);
  if (above && below && facts.nan) stored.flags |= Flag::kNan;
  s.flags |= stored.flags;
  if (!SaturationAllowed(context)) return;
  s.lo = s.rlo = -facts.max;
  s.hi = s.rhi = facts.max;
  s.flags |= Flag::kFinite | Flag::kPosZero | (facts.negative_zero ? Flag::kNegZero : 0);
}

}  // namespace hlocts
