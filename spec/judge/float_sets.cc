#include "spec/judge/float_sets.h"

#include <algorithm>

namespace hlocts {
namespace {

using Flag = AcceptanceSet::Flag;

// Holds a number strictly between 0 and `limit` (its mirror image: pass -hi, -lo).
bool MeetsBelow(double lo, double hi, double limit) { return hi > 0 && lo < limit; }

Bound Point(double x) { return {x, 0}; }

}  // namespace

View ReadSet(const AcceptanceSet& s, const FloatFacts& facts, uint32_t permissions,
             bool read_hull) {
  View v;
  v.nan = s.Has(Flag::kNan);
  v.pos_inf = s.Has(Flag::kPosInf);
  v.neg_inf = s.Has(Flag::kNegInf);
  v.pos_zero = s.Has(Flag::kPosZero);
  v.neg_zero = s.Has(Flag::kNegZero);
  v.integral = s.Has(Flag::kIntegral);
  v.finite = s.finite();
  if (v.finite) v.lo = s.lo, v.hi = s.hi;
  if (read_hull && s.Has(Flag::kHull)) {
    v.lo = v.finite ? std::min(s.lo, s.rlo) : s.rlo;
    v.hi = v.finite ? std::max(s.hi, s.rhi) : s.rhi;
    v.finite = true;
    v.integral = false;
    if (v.lo <= 0 && v.hi >= 0 && !v.Zero()) v.pos_zero = v.neg_zero = true;
  }
  if ((permissions & kFlushOperand) && v.finite) {
    if (MeetsBelow(v.lo, v.hi, facts.min_normal)) {
      v.pos_zero = true;
      v.lo = std::min(v.lo, 0.0);
    }
    if (MeetsBelow(-v.hi, -v.lo, facts.min_normal)) {
      v.neg_zero = true;
      v.hi = std::max(v.hi, 0.0);
    }
  }
  if (v.neg_zero && !facts.negative_zero) {
    v.neg_zero = false;
    v.pos_zero = true;
  }
  return v;
}

AcceptanceSet WithFlushes(AcceptanceSet s, const FloatFacts& facts) {
  if (s.unspecified() || s.integer() || !s.finite()) return s;
  bool above = MeetsBelow(s.lo, s.hi, facts.min_normal);
  bool below = MeetsBelow(-s.hi, -s.lo, facts.min_normal);
  if (!above && !below) return s;
  if (s.term == Term::kPoint) s.term = Term::kUnderflow;
  s.flags |= (above || !facts.negative_zero ? Flag::kPosZero : 0) |
             (below && facts.negative_zero ? Flag::kNegZero : 0);
  s.lo = std::min(s.lo, 0.0);
  s.hi = std::max(s.hi, 0.0);
  s.rlo = std::min(s.rlo, s.lo);
  s.rhi = std::max(s.rhi, s.hi);
  return s;
}

namespace {

// The stored part of a set while it is being made.
struct Stored {
  bool present = false;
  double lo = 0, hi = 0;
  uint16_t flags = 0;

  void AddZero(uint16_t sign) {
    lo = present ? std::min(lo, 0.0) : 0;
    hi = present ? std::max(hi, 0.0) : 0;
    present = true;
    flags |= sign;
  }
};

// A magnitude that rounds beyond the largest value: infinity, or what the format has instead.
void AddOverflow(const FloatFacts& facts, bool negative, Stored& stored) {
  if (facts.infinity) {
    stored.flags |= negative ? Flag::kNegInf : Flag::kPosInf;
  } else if (facts.nan) {
    stored.flags |= Flag::kNan;
  }
}
bool SaturationAllowed(const SetContext& context) {
  const FloatFacts& facts = *context.result;
  if (!facts.nan) return true;
  return !facts.infinity || BitWidth(facts.type) <= 8 ? context.rule.Allows(kDoubleRounding)
                                                      : false;
}

// [slo, shi], which may be infinite: overflow replaces what lies beyond the largest value.
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

// Zeros that rounding and flushing make out of [rlo, rhi].
void AddUnderflow(double rlo, double rhi, const SetContext& context, Stored& stored) {
  const FloatFacts& facts = *context.result;
  bool flush = context.rule.Allows(kFlushResult);
  // Values up to half the least one round to zero; with flushing all below the least normal may.
  double limit = flush ? facts.min_normal : facts.tiny / 2;
  bool inclusive = !flush;
  auto meets = [&](double lo, double hi) {
    return hi > 0 && (inclusive ? lo <= limit : lo < limit);
  };
  if (meets(rlo, rhi)) stored.AddZero(Flag::kPosZero);
  if (meets(-rhi, -rlo)) stored.AddZero(Flag::kNegZero);
}

// Ways to round that go through a format in between (f8 arithmetic, conversions to 16 bits).
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

void StoreCorrectlyRounded(const Image& image, const SetContext& context, Stored& stored) {
  const FloatFacts& facts = *context.result;
  double slo = facts.Round(image.lo), shi = facts.Round(image.hi);
  // An end that is not a number came from an unbounded hull.
  if (std::isnan(slo)) slo = -kInfinity;
  if (std::isnan(shi)) shi = kInfinity;
  WidenByDoubleRounding(image, context, slo, shi);
  if (!facts.has_zero) {
    slo = facts.RoundDown(image.lo.Down());
    shi = facts.RoundUp(image.hi.Up());
  }
  StoreFinite(slo, shi, false, context, stored);
  AddUnderflow(image.lo.Down(), image.hi.Up(), context, stored);
}

// How far a result near `t` may lie from it, outward.
double Margin(double t, const SetContext& context, double argument) {
  const Rule& rule = context.rule;
  double magnitude = std::fabs(t);
  bool big = rule.big_exponent != INT16_MAX && magnitude >= PowerOfTwo(rule.big_exponent);
  double ulps = (big ? rule.big_ulps : rule.ulps) + rule.ulps_per_argument * argument;
  double margin = std::max(ulps * context.result->Ulp(t), static_cast<double>(rule.absolute));
  return context.result->is_f64 ? NextUp(margin) : margin;
}

// The first power of two in (lo, hi] for positive lo; 0 if there is none.
double PowerOfTwoAbove(double lo, double hi) {
  if (!(lo > 0) || std::isinf(lo)) return 0;
  if (lo < 0x1p-1022 || lo >= 0x1p1023) return 0;
  double power = PowerOfTwo(ExponentOf(lo) + 1);
  return power <= hi ? power : 0;
}

void StoreUlps(const Image& image, const SetContext& context, double argument, Stored& stored) {
  const FloatFacts& facts = *context.result;
  double tlo = image.lo.Down(), thi = image.hi.Up();
  if (std::isnan(tlo)) tlo = -kInfinity;
  if (std::isnan(thi)) thi = kInfinity;
  double lower = std::isinf(tlo) ? tlo : tlo - Margin(tlo, context, argument);
  double upper = std::isinf(thi) ? thi : thi + Margin(thi, context, argument);
  // Above a power of two the unit is larger: its own reach downwards may be the longest.
  if (double power = PowerOfTwoAbove(tlo, thi); power > 0) {
    lower = std::min(lower, power - Margin(power, context, argument));
  }
  if (double power = PowerOfTwoAbove(-thi, -tlo); power > 0) {
    upper = std::max(upper, -power + Margin(power, context, argument));
  }
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
  // Between the largest value and the next power of two an engine may return either.
  bool near = std::min(std::fabs(tlo), std::fabs(thi)) < 2 * facts.max || facts.is_f64;
  StoreFinite(slo, shi, near && context.rule.Allows(kMaxOrInfinity), context, stored);
  AddUnderflow(std::min(tlo, lower), std::max(thi, upper), context, stored);
  // A function may also stop at the least normal instead of going below it.
  if (context.rule.Allows(kFlushResult) && stored.present) {
    if (thi > facts.tiny / 2 && tlo < facts.min_normal) {
      stored.hi = std::max(stored.hi, std::min(facts.min_normal, context.guard.hi));
    }
    if (-tlo > facts.tiny / 2 && -thi < facts.min_normal) {
      stored.lo = std::min(stored.lo, std::max(-facts.min_normal, context.guard.lo));
    }
  }
}

// The unrounded hull, with roundings to wider formats in it (acceptance-rules 7).
void AddHull(const Image& image, const SetContext& context, AcceptanceSet& s) {
  double rlo = image.lo.Down(), rhi = image.hi.Up();
  if (std::isnan(rlo)) rlo = -kInfinity;
  if (std::isnan(rhi)) rhi = kInfinity;
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
  if (!s.finite() || rlo != s.lo || rhi != s.hi) s.flags |= Flag::kHull;
}

// What this operation's own rule adds to a set that is wider than a point.
Term OwnTerm(const AcceptanceSet& s, bool may_flush, const SetContext& context) {
  if (s.finite() && s.lo != s.hi) {
    if (context.rule.rule_class == RuleClass::kUlp) return Term::kUlps;
    bool twice = context.rule.Allows(kDoubleRounding) && BitWidth(context.result->type) <= 16;
    return twice && !may_flush ? Term::kDoubleRound : Term::kUnderflow;
  }
  if (s.finite() && (s.Has(Flag::kPosInf) || s.Has(Flag::kNegInf))) return Term::kOverflow;
  return s.Has(Flag::kNan) ? Term::kNan : Term::kZeroSign;
}

// Flushing moves a result by less than the least normal; more only where an operand was flushed.
bool FlushExplains(const AcceptanceSet& s, const SetContext& context,
                   std::initializer_list<const AcceptanceSet*> operands) {
  const FloatFacts& facts = *context.operand;
  auto subnormal = [&](double x) { return x != 0 && std::fabs(x) < facts.min_normal; };
  for (const AcceptanceSet* operand : operands) {
    bool may_flush = context.rule.Allows(kFlushOperand) && operand->finite();
    if (may_flush && (subnormal(operand->lo) || subnormal(operand->hi))) return true;
  }
  return s.finite() && s.hi - s.lo <= 2 * context.result->min_normal;
}

// By how much reading unrounded values widened an operand; `hulls` names whose were read.
double SkippedWidth(const AcceptanceSet& operand, uint16_t hulls) {
  if (!operand.Has(Flag::kHull) || !operand.Has(hulls)) return 0;
  if (!operand.finite()) return kInfinity;
  return (operand.rhi - operand.rlo) - (operand.hi - operand.lo);
}

// What the format cannot hold: it may have one zero only, or none and no sign, and then what becomes
// of zeros and negative numbers is open.
AcceptanceSet InFormat(const AcceptanceSet& s, const SetContext& context) {
  const FloatFacts& facts = *context.result;
  constexpr uint16_t kZeros = Flag::kPosZero | Flag::kNegZero;
  if (!facts.has_zero && (s.Has(kZeros | Flag::kNegInf) || (s.finite() && s.lo <= 0))) {
    return AcceptanceSet::Unspecified(Term::kFreedom, context.origin);
  }
  AcceptanceSet held = s;
  if (!facts.negative_zero && s.Has(kZeros)) held.flags = (s.flags & ~kZeros) | Flag::kPosZero;
  return held;
}

// Names who made the set wider than a point: an operand that already was, a rounding that was
// skipped between it and this operation, or this operation. `hulls` is the flag of the operands
// whose unrounded values it reads, 0 for none.
AcceptanceSet Blame(AcceptanceSet s, const SetContext& context,
                    std::initializer_list<const AcceptanceSet*> operands, uint16_t hulls = 0) {
  s = InFormat(s, context);
  if (s.unspecified()) return s;
  s.origin = context.origin;
  s.term = Term::kPoint;
  if (s.IsPoint()) return s;
  if (context.rule.Allows(kSkipRounding)) hulls = Flag::kHull;
  bool may_flush = FlushExplains(s, context, operands);
  s.term = OwnTerm(s, may_flush, context);
  double widest = 0, skipped = 0;
  for (const AcceptanceSet* operand : operands) {
    if (operand->integer()) continue;
    skipped = std::max(skipped, SkippedWidth(*operand, hulls));
    double width = operand->finite() ? operand->hi - operand->lo : 0;
    if (operand->term != Term::kPoint && (width > widest || s.origin == context.origin)) {
      bool own = context.rule.rule_class == RuleClass::kUlp && width == 0;
      if (own) continue;
      widest = width;
      s.term = operand->term;
      s.origin = operand->origin;
    }
  }
  bool ulps = context.rule.rule_class == RuleClass::kUlp && s.finite();
  double own = ulps ? 2 * context.rule.ulps * context.result->Ulp(s.hi)
                    : may_flush ? context.result->min_normal : 0;
  if (skipped > std::max(widest, own)) {
    s.term = Term::kContract;
    s.origin = context.origin;
  }
  return s;
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
  if ((image.pos_inf || image.neg_inf) && SaturationAllowed(context)) {
    double lo = image.neg_inf ? -facts.max : facts.max, hi = image.pos_inf ? facts.max : -facts.max;
    stored.lo = stored.present ? std::min(stored.lo, lo) : lo;
    stored.hi = stored.present ? std::max(stored.hi, hi) : hi;
    stored.present = true;
  }
  if (image.nan && !facts.nan) return AcceptanceSet::Unspecified(Term::kFreedom, context.origin);
  constexpr uint16_t kZeros = Flag::kPosZero | Flag::kNegZero;
  if (stored.present && stored.lo <= 0 && stored.hi >= 0) {
    bool inside = stored.lo < 0 && stored.hi > 0;
    if (inside && !(stored.flags & kZeros)) stored.flags |= kZeros;
    if (stored.lo == 0 && stored.hi == 0 && !(stored.flags & kZeros)) stored.flags |= kZeros;
    if (!(stored.flags & kZeros)) stored.flags |= stored.hi > 0 ? Flag::kPosZero : Flag::kNegZero;
  }
  if (context.rule.Allows(kZeroSignFree) && (stored.flags & kZeros)) stored.flags |= kZeros;
  s.flags = stored.flags | (stored.present ? Flag::kFinite : 0);
  s.lo = stored.lo;
  s.hi = stored.hi;
  s.rlo = s.lo;
  s.rhi = s.hi;
  if (image.finite) AddHull(image, context, s);
  s = InFormat(s, context);
  if (s.unspecified()) return s;
  s.origin = context.origin;
  if (!s.IsPoint()) s.term = OwnTerm(s, FlushExplains(s, context, {}), context);
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

namespace {

// ---------------------------------------------------------------- add, multiply, divide

Image AddImage(const View& a, const View& b) {
  Image r;
  r.nan = a.nan || b.nan || (a.pos_inf && b.neg_inf) || (a.neg_inf && b.pos_inf);
  r.pos_inf = (a.pos_inf && (b.finite || b.pos_inf)) || (b.pos_inf && a.finite);
  r.neg_inf = (a.neg_inf && (b.finite || b.neg_inf)) || (b.neg_inf && a.finite);
  r.finite = a.finite && b.finite;
  if (!r.finite) return r;
  r.lo = AddExact(a.lo, b.lo);
  r.hi = AddExact(a.hi, b.hi);
  if (r.lo.value > 0 || r.hi.value < 0) return r;
  bool cancels = (a.Positive() && b.Negative()) || (a.Negative() && b.Positive());
  r.pos_zero = cancels || (a.pos_zero && b.Zero()) || (b.pos_zero && a.Zero());
  r.neg_zero = a.neg_zero && b.neg_zero;
  return r;
}

View Negated(View v) {
  std::swap(v.pos_inf, v.neg_inf);
  std::swap(v.pos_zero, v.neg_zero);
  double lo = v.lo;
  v.lo = -v.hi;
  v.hi = -lo;
  return v;
}

// Signs a class of values can have: bit 0 positive, bit 1 negative.
int Signs(bool positive, bool negative) { return (positive ? 1 : 0) | (negative ? 2 : 0); }
int ProductSigns(int a, int b) {
  bool positive = ((a & 1) && (b & 1)) || ((a & 2) && (b & 2));
  bool negative = ((a & 1) && (b & 2)) || ((a & 2) && (b & 1));
  return Signs(positive, negative);
}
int FiniteSigns(const View& v) { return Signs(v.Positive(), v.Negative()); }
int ZeroSigns(const View& v) { return Signs(v.pos_zero, v.neg_zero); }
int InfinitySigns(const View& v) { return Signs(v.pos_inf, v.neg_inf); }

void SetInfinities(int signs, Image& r) {
  r.pos_inf = r.pos_inf || (signs & 1);
  r.neg_inf = r.neg_inf || (signs & 2);
}
void SetZeros(int signs, Image& r) {
  r.pos_zero = r.pos_zero || (signs & 1);
  r.neg_zero = r.neg_zero || (signs & 2);
}

bool LessAsLow(const Bound& a, const Bound& b) {
  if (a.value != b.value) return a.value < b.value;
  auto rank = [](const Bound& x) { return x.residual == Bound::kUnknown ? -2 : x.residual; };
  return rank(a) < rank(b);
}
bool LessAsHigh(const Bound& a, const Bound& b) {
  if (a.value != b.value) return a.value < b.value;
  return a.residual < b.residual;
}
// The image grows to hold the bound.
void Include(const Bound& bound, Image& r) {
  if (!r.finite) {
    r.lo = r.hi = bound;
    r.finite = true;
    return;
  }
  if (LessAsLow(bound, r.lo)) r.lo = bound;
  if (LessAsHigh(r.hi, bound)) r.hi = bound;
}

Image MultiplyImage(const View& a, const View& b) {
  Image r;
  r.nan = a.nan || b.nan || (a.Infinite() && b.Zero()) || (b.Infinite() && a.Zero());
  SetInfinities(ProductSigns(InfinitySigns(a), FiniteSigns(b) | InfinitySigns(b)), r);
  SetInfinities(ProductSigns(InfinitySigns(b), FiniteSigns(a)), r);
  SetZeros(ProductSigns(ZeroSigns(a), FiniteSigns(b) | ZeroSigns(b)), r);
  SetZeros(ProductSigns(ZeroSigns(b), FiniteSigns(a)), r);
  if (!a.finite || !b.finite) return r;
  Include(MultiplyExact(a.lo, b.lo), r);
  if (a.lo != a.hi || b.lo != b.hi) {
    Include(MultiplyExact(a.lo, b.hi), r);
    Include(MultiplyExact(a.hi, b.lo), r);
    Include(MultiplyExact(a.hi, b.hi), r);
  }
  return r;
}

Image DivideImage(const View& a, const View& b, double least) {
  Image r;
  r.nan = a.nan || b.nan || (a.Infinite() && b.Infinite()) || (a.Zero() && b.Zero());
  SetInfinities(ProductSigns(InfinitySigns(a), FiniteSigns(b) | ZeroSigns(b)), r);
  SetInfinities(ProductSigns(FiniteSigns(a), ZeroSigns(b)), r);
  SetZeros(ProductSigns(ZeroSigns(a), FiniteSigns(b) | InfinitySigns(b)), r);
  SetZeros(ProductSigns(FiniteSigns(a), InfinitySigns(b)), r);
  if (!a.finite || !b.finite) return r;
  auto part = [&](double lo, double hi) {
    for (double x : {a.lo, a.hi}) {
      Include(DivideExact(x, lo), r);
      if (hi != lo) Include(DivideExact(x, hi), r);
    }
  };
  if (b.Positive()) part(std::max(b.lo, least), std::max(b.hi, least));
  if (b.Negative()) part(std::min(b.lo, -least), std::min(b.hi, -least));
  return r;
}

// The sign of the dividend, magnitude below the divisor's (000 says otherwise by a slip: ruling).
Image RemainderImage(const View& a, const View& b) {
  Image r;
  r.nan = a.nan || b.nan || a.Infinite() || b.Zero();
  if (!a.finite || !(b.finite || b.Infinite())) return r;
  SetZeros(b.Positive() || b.Negative() || b.Infinite() ? ZeroSigns(a) : 0, r);
  if (b.Infinite()) {
    Include(Point(a.lo), r);
    Include(Point(a.hi), r);
  }
  if (!b.Positive() && !b.Negative()) return r;
  double least = b.lo > 0 ? b.lo : b.hi < 0 ? -b.hi : 0, most = std::max(-b.lo, b.hi);
  if (std::max(-a.lo, a.hi) < least) {  // shorter than any divisor: it is its own remainder
    Include(Point(a.lo), r);
    Include(Point(a.hi), r);
    return r;
  }
  double low = std::fmod(a.lo, b.hi), high = std::fmod(a.hi, b.hi);
  bool one_branch =
      b.lo == b.hi && b.lo != 0 && a.lo * a.hi >= 0 && low <= high && a.hi - a.lo < std::fabs(b.hi);
  if (!one_branch) {
    low = std::max(std::min(a.lo, 0.0), -most);
    high = std::min(std::max(a.hi, 0.0), most);
    SetZeros(FiniteSigns(a), r);
  }
  Include(Point(low), r);
  Include(Point(high), r);
  if (low == 0 || high == 0) SetZeros(FiniteSigns(a), r);
  return r;
}

// ---------------------------------------------------------------- maximum, minimum

// The larger of two operands, by value: a selection, so no rounding and no hull.
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
    // Subnormals compare as the zeros they may be read as: either operand comes out then.
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
  if (s.finite() && s.lo <= 0 && s.hi >= 0) {
    if (a.pos_zero || b.pos_zero) s.flags |= Flag::kPosZero;
    if (a.neg_zero || b.neg_zero) s.flags |= Flag::kNegZero;
    // Inside an interval a zero may always have been one of the operands.
    if (s.lo < 0 && s.hi > 0 && !s.Has(Flag::kPosZero) && !s.Has(Flag::kNegZero)) {
      s.flags |= Flag::kPosZero | Flag::kNegZero;
    }
  }
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

// ---------------------------------------------------------------- functions

// Extremes of sin over a real interval: 1 near pi/2 + 2 pi n. `shift` 0 for sin, pi/2 for cos.
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

// f at an infinity or a zero, where C's own result is the definition.
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
  // Infinite at a pole, log-plus-one(-1) and atanh(±1), or beyond the range of f64.
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
  if (f.monotone == Monotone::kEven && lo < 0 && hi > 0) IncludeSpecial(f, 0.0, r);
  if (f.monotone == Monotone::kSine) IncludeWaveExtremes(lo, hi, 0, r);
  if (f.monotone == Monotone::kCosine) {
    IncludeWaveExtremes(lo, hi, 1.57079632679489661923, r);
  }
  if (f.monotone == Monotone::kTangent && TangentHasPole(lo, hi)) {
    Include(Point(-kInfinity), r);
    Include(Point(kInfinity), r);
  }
  // On the way to an infinity the function takes every value.
  bool on_the_way = r.finite || (up && down);
  if (up && on_the_way) Include(Point(kInfinity), r);
  if (down && on_the_way) Include(Point(-kInfinity), r);
  return r;
}

// ---------------------------------------------------------------- power, atan2

// Special and finite values of a view as points; false if its interval is no point.
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

// Corners of x^y for x > 0: monotone in each operand.
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

bool PowerImage(const View& x, const View& y, double least, const SetContext& context, Image& r) {
  Atoms xs, ys;
  bool x_points = CollectAtoms(x, xs), y_points = CollectAtoms(y, ys);
  if (x_points && y_points) {
    for (int i = 0; i < xs.count; ++i) {
      for (int j = 0; j < ys.count; ++j) IncludePowerPoint(xs.values[i], ys.values[j], context, r);
    }
    return true;
  }
  // Intervals: a zero or finite exponent as a point, or a positive base.
  if (y.nan || y.Infinite() || x.nan || x.Infinite()) return false;
  if (x.Negative() && !(y.lo == y.hi && IsInteger(y.lo))) return false;
  if (x.Zero() && (!y_points || ys.count != 1)) {
    if (!(y.lo > 0)) return false;  // 0^y of uncertain sign of y
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

Image Atan2Image(const View& y, const View& x, const SetContext& context) {
  constexpr double kPi = 3.1415926535897936;  // above pi
  Image r;
  r.nan = y.nan || x.nan;
  Atoms ys, xs;
  bool y_points = CollectAtoms(y, ys), x_points = CollectAtoms(x, xs);
  bool points = y_points && x_points;
  if (points) {
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

double LeastMagnitude(const FloatFacts& facts, const AcceptanceSet& s, bool read_hull) {
  return read_hull && s.Has(Flag::kHull) ? 0x1p-1074 : facts.tiny;
}

double LargestMagnitude(const View& v) {
  if (!v.finite) return 0;
  double magnitude = std::max(std::fabs(v.lo), std::fabs(v.hi));
  return std::isinf(magnitude) ? kLargestDouble : magnitude;
}

// ---------------------------------------------------------------- to integral values

double RoundAwayFromZero(double x) { return std::round(x); }
double RoundToEven(double x) { return std::nearbyint(x); }
double SignValue(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

using RealMap = double (*)(double);
RealMap IntegralMap(Opcode opcode) {
  switch (opcode) {
    case Opcode::kFloor:
      return std::floor;
    case Opcode::kCeil:
      return std::ceil;
    case Opcode::kRoundNearestAfz:
      return RoundAwayFromZero;
    case Opcode::kRoundNearestEven:
      return RoundToEven;
    case Opcode::kSign:
      return SignValue;
    default:
      return nullptr;
  }
}

// Rounding away from zero may leave a narrow format: ceil(15.5) is an infinity in f8e3m4.
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
  s.lo = facts.RoundDown(std::max(-facts.max, std::min(s.lo, facts.max)));
  s.hi = facts.RoundUp(std::max(-facts.max, std::min(s.hi, facts.max)));
}

AcceptanceSet ToIntegral(RealMap map, bool is_sign, const View& v, const SetContext& context) {
  AcceptanceSet s;
  if (v.nan) s.flags |= Flag::kNan;
  auto add = [&](double x) {
    double y = map(x);
    s.lo = s.finite() ? std::min(s.lo, y) : y;
    s.hi = s.finite() ? std::max(s.hi, y) : y;
    s.flags |= Flag::kFinite;
    bool negative = std::signbit(y) && context.result->negative_zero;
    if (y == 0) s.flags |= negative ? Flag::kNegZero : Flag::kPosZero;
  };
  if (v.finite) {
    double tiny = context.operand->tiny;
    if (v.Positive()) {
      add(std::max(v.lo, tiny));
      add(v.hi);
    }
    if (v.Negative()) {
      add(v.lo);
      add(std::min(v.hi, -tiny));
    }
  }
  if (v.pos_zero) add(0.0);
  if (v.neg_zero) add(-0.0);
  if (is_sign) {
    if (v.pos_inf) add(1);
    if (v.neg_inf) add(-1);
  } else {
    if (v.pos_inf) s.flags |= Flag::kPosInf;
    if (v.neg_inf) s.flags |= Flag::kNegInf;
  }
  s.flags |= Flag::kIntegral;
  if (s.finite()) LimitIntegral(context, s);
  s.rlo = s.lo;
  s.rhi = s.hi;
  if (s.finite() && s.lo != s.hi) s.term = Term::kJump;
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

}  // namespace

AcceptanceSet UnaryFloat(Opcode opcode, const AcceptanceSet& a, const SetContext& context) {
  if (a.unspecified()) return a;
  bool hull = context.rule.Allows(kSkipRounding);
  View v = ReadSet(a, *context.operand, context.rule.permissions, hull);
  if (opcode == Opcode::kAbs) return Blame(Absolute(v), context, {&a});
  if (opcode == Opcode::kNegate) {
    AcceptanceSet s = NegatedSet(a);
    if (v.Zero()) {  // the operand may have been flushed
      View n = Negated(v);
      s.lo = std::min(s.lo, 0.0);
      s.hi = std::max(s.hi, 0.0);
      s.rlo = std::min(s.rlo, 0.0);
      s.rhi = std::max(s.rhi, 0.0);
      if (n.pos_zero) s.flags |= Flag::kPosZero;
      if (n.neg_zero) s.flags |= Flag::kNegZero;
      if (!context.result->negative_zero) s.flags = (s.flags & ~Flag::kNegZero) | Flag::kPosZero;
    }
    return Blame(s, context, {&a});
  }
  if (RealMap map = IntegralMap(opcode)) {
    return Blame(ToIntegral(map, opcode == Opcode::kSign, v, context), context, {&a});
  }
  if (opcode == Opcode::kSqrt) {
    Image r;
    r.nan = v.nan || v.neg_inf || v.Negative();
    r.pos_inf = v.pos_inf;
    SetZeros(ZeroSigns(v), r);
    if (v.finite && v.hi >= 0) {
      Include(SquareRootExact(std::max(v.lo, 0.0)), r);
      Include(SquareRootExact(v.hi), r);
    }
    return Blame(StoreImage(r, context), context, {&a});
  }
  const RealFunction* f = RealFunctionOf(opcode);
  if (f == nullptr) return AcceptanceSet::Unspecified(Term::kUnknown, context.origin);
  Image r = FunctionImage(*f, v, LeastMagnitude(*context.operand, a, hull), context.rigorous);
  return Blame(StoreImage(r, context, LargestMagnitude(v)), context, {&a});
}

AcceptanceSet BinaryFloat(Opcode opcode, const AcceptanceSet& a, const AcceptanceSet& b,
                          const SetContext& context) {
  if (a.unspecified()) return a;
  if (b.unspecified()) return b;
  uint32_t permissions = context.rule.permissions;
  bool skip = context.rule.Allows(kSkipRounding);
  bool sum = opcode == Opcode::kAdd || opcode == Opcode::kSubtract;
  auto read = [&](const AcceptanceSet& s) {
    bool contract = sum && context.rule.Allows(kContract) && s.Has(Flag::kContractible);
    return ReadSet(s, *context.operand, permissions, skip || contract);
  };
  View x = read(a), y = read(b);
  const FloatFacts& facts = *context.operand;
  AcceptanceSet s;
  Image r;
  switch (opcode) {
    case Opcode::kAdd:
      s = StoreImage(AddImage(x, y), context);
      break;
    case Opcode::kSubtract:
      s = StoreImage(AddImage(x, Negated(y)), context);
      break;
    case Opcode::kMultiply:
      s = StoreImage(MultiplyImage(x, y), context);
      if (s.Has(Flag::kHull)) s.flags |= Flag::kContractible;
      break;
    case Opcode::kDivide:
      s = StoreImage(DivideImage(x, y, LeastMagnitude(facts, b, skip)), context);
      // Division by a splat may be a multiplication by its reciprocal, which then contracts.
      if (s.Has(Flag::kHull)) s.flags |= Flag::kContractible;
      break;
    case Opcode::kRemainder:
      s = StoreImage(RemainderImage(x, y), context);
      break;
    case Opcode::kMaximum:
      s = MaximumSet(x, y, context);
      break;
    case Opcode::kMinimum:
      s = NegatedSet(MaximumSet(Negated(x), Negated(y), context));
      break;
    case Opcode::kAtan2:
      s = StoreImage(Atan2Image(x, y, context), context);
      break;
    case Opcode::kPower:
      if (!PowerImage(x, y, LeastMagnitude(facts, a, skip), context, r)) {
        return AcceptanceSet::Unspecified(Term::kUnknown, context.origin);
      }
      s = StoreImage(r, context);
      // pow(x, 2) is x*x to a compiler, which contracts.
      if (s.Has(Flag::kHull)) s.flags |= Flag::kContractible;
      break;
    default:
      return AcceptanceSet::Unspecified(Term::kUnknown, context.origin);
  }
  bool contracts = sum && context.rule.Allows(kContract);
  return Blame(s, context, {&a, &b}, contracts ? Flag::kContractible : 0);
}

AcceptanceSet ClampFloat(const AcceptanceSet& min, const AcceptanceSet& operand,
                         const AcceptanceSet& max, const SetContext& context) {
  AcceptanceSet lower = BinaryFloat(Opcode::kMaximum, min, operand, context);
  AcceptanceSet s = BinaryFloat(Opcode::kMinimum, lower, max, context);
  if (!context.rule.Allows(kClampEither) || min.unspecified() || max.unspecified()) return s;
  View lo = ReadSet(min, *context.operand, 0, false), hi = ReadSet(max, *context.operand, 0, false);
  double most = lo.pos_inf ? kInfinity : lo.finite ? lo.hi : -kInfinity;
  double least = hi.neg_inf ? -kInfinity : hi.finite ? hi.lo : kInfinity;
  if (!(most > least)) return s;
  // Bounds the wrong way round: either of them, or its flush (acceptance-rules 14, 27).
  bool flushes = context.rule.Allows(kFlushOperand);
  return Join(s, Join(flushes ? WithFlushes(min, *context.operand) : min,
                      flushes ? WithFlushes(max, *context.operand) : max));
}

namespace {

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

namespace {

// `own_range`: the range stays the operand's.
AcceptanceSet ReducedPrecision(const View& v, int exponent_bits, int mantissa_bits, bool own_range,
                               const SetContext& context) {
  FloatFacts target = *context.operand;
  int bias = (1 << (exponent_bits - 1)) - 1;
  target.p = std::min(mantissa_bits + 1, context.operand->p);
  target.emin = own_range ? context.operand->emin : std::max(1 - bias, context.operand->emin);
  target.type = PrimitiveType::kInvalid;  // neither f32's nor f64's own rounding
  target.is_f64 = target.p == 53 && context.operand->is_f64;
  target.min_normal = std::ldexp(1.0, target.emin);
  target.tiny = std::ldexp(1.0, target.emin - target.p + 1);
  int emax = own_range ? std::ilogb(context.operand->max) : bias;
  target.max = std::min(context.operand->max, std::ldexp(2 - std::ldexp(1.0, 1 - target.p), emax));
  // Round to the precision with the operand's own range first, then cut the range.
  FloatFacts precise = target;
  precise.emin = context.operand->emin;
  precise.max = kLargestDouble / 4;
  auto round = [&](double x) {
    if (std::isinf(x)) return x;
    double y = precise.is_f64 ? x : std::fabs(x) > precise.max ? x : precise.Round(x);
    return std::fabs(y) > target.max ? std::copysign(kInfinity, y) : y;
  };
  // Without mantissa bits a tie has no neighbour that is even in its last digit: IEEE 754 takes the
  // larger, the even bit pattern may be the smaller (ruling 0053). Both are accepted.
  auto tie = [&](double x) {
    int exponent;
    return target.p == 1 && std::fabs(std::frexp(x, &exponent)) == 0.75;
  };
  AcceptanceSet s;
  Stored stored;
  if (v.finite) {
    double lo = round(tie(v.lo) ? v.lo * (v.lo > 0 ? 1 / 1.5 : 4 / 3.0) : v.lo);
    double hi = round(tie(v.hi) ? v.hi * (v.hi > 0 ? 4 / 3.0 : 1 / 1.5) : v.hi);
    SetContext plain = context;
    plain.rule.permissions = 0;
    StoreFinite(std::max(lo, -kInfinity), hi, false, plain, stored);
    if (stored.present) {
      // Below the target's least normal: gradual or a signed zero.
      bool gradual_lo = v.lo > 0 && v.lo < target.min_normal;
      bool gradual_hi = v.hi < 0 && -v.hi < target.min_normal;
      auto steps = [&](double x) { return std::nearbyint(x / target.tiny) * target.tiny; };
      if (gradual_lo) stored.lo = std::min(stored.lo, steps(v.lo));
      if (v.hi > 0 && v.hi < target.min_normal) stored.hi = std::max(stored.hi, steps(v.hi));
      if (gradual_hi) stored.hi = std::max(stored.hi, steps(v.hi));
      if (v.lo < 0 && -v.lo < target.min_normal) stored.lo = std::min(stored.lo, steps(v.lo));
    }
    if (MeetsBelow(v.lo, v.hi, target.min_normal)) stored.AddZero(Flag::kPosZero);
    if (MeetsBelow(-v.hi, -v.lo, target.min_normal)) stored.AddZero(Flag::kNegZero);
  }
  if (v.pos_zero) stored.AddZero(Flag::kPosZero);
  if (v.neg_zero) stored.AddZero(Flag::kNegZero);
  if (v.pos_inf) AddOverflow(*context.result, false, stored);
  if (v.neg_inf) AddOverflow(*context.result, true, stored);
  if (v.nan) stored.flags |= Flag::kNan;
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
  // With as many exponent bits as the operand's format, which keeps no exponent for infinities or
  // has another bias: its own range, or that of IEEE 754's formats (ruling 0053).
  if (exponent_bits == format.exponent_bits && format.non_finite != NonFinite::kIeee) {
    s = Join(s, ReducedPrecision(v, exponent_bits, mantissa_bits, false, context));
  }
  return Blame(s, context, {&a});
}


namespace {

// No value changes, but it is a conversion: one that flushes, and returns any NaN for a NaN.
AcceptanceSet ConvertToItself(const AcceptanceSet& a, const SetContext& context) {
  AcceptanceSet s = a;
  if (s.Has(Flag::kBitsKnown)) s.flags = Flag::kNan;
  bool flushes = context.rule.Allows(kFlushOperand) || context.rule.Allows(kFlushResult);
  if (flushes) s = WithFlushes(s, *context.operand);
  if (a.term == Term::kPoint && s.term != Term::kPoint) s.origin = context.origin;
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
  // f8e8m0fnu has neither zero nor sign: what becomes of those is open.
  if (!to.has_zero && (v.Zero() || v.Negative() || v.neg_inf)) {
    return AcceptanceSet::Unspecified(Term::kFreedom, context.origin);
  }
  Image r;
  r.nan = v.nan;
  r.pos_inf = v.pos_inf;
  r.neg_inf = v.neg_inf;
  SetZeros(ZeroSigns(v), r);
  if (v.finite) {
    Include(Point(v.lo), r);
    Include(Point(v.hi), r);
  }
  SetContext own = context;
  bool twice = from.p > 24 || BitWidth(to.type) <= 8;
  if (!twice) own.rule.permissions &= ~kDoubleRounding;
  AcceptanceSet s = StoreImage(r, own);
  if (a.Has(Flag::kIntegral) && !s.Has(Flag::kHull) && to.p >= 11) s.flags |= Flag::kIntegral;
  if (a.Has(Flag::kContractible) && s.Has(Flag::kHull)) s.flags |= Flag::kContractible;
  return Blame(s, context, {&a}, hull ? Flag::kHull : 0);
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

}  // namespace

AcceptanceSet ConvertFloatToInteger(const AcceptanceSet& a, PrimitiveType to, bool saturate,
                                    const SetContext& context) {
  if (a.unspecified()) return a;
  bool hull = context.rule.Allows(kSkipRounding);
  View v = ReadSet(a, *context.operand, context.rule.permissions, hull);
  if (to == PrimitiveType::kPred) {
    bool yes = v.nan || v.Infinite() || v.Positive() || v.Negative();
    AcceptanceSet s = AcceptanceSet::Integers(v.Zero() ? 0 : 1, yes ? 1 : 0);
    s.origin = context.origin;
    if (s.ilo != s.ihi) s.term = Term::kUnderflow;
    return s;
  }
  IntegerRange range = RangeOf(to);
  bool first = true;
  Int128 lo = 0, hi = 0;
  bool outside = v.nan || v.Infinite();
  auto add = [&](Int128 x) {
    lo = first ? x : std::min(lo, x);
    hi = first ? x : std::max(hi, x);
    first = false;
  };
  auto add_real = [&](double x) {
    x = std::trunc(x);
    bool over = x >= std::ldexp(1.0, 100) ||
                (std::fabs(x) < std::ldexp(1.0, 100) && static_cast<Int128>(x) > range.hi);
    bool under = x <= -std::ldexp(1.0, 100) ||
                 (std::fabs(x) < std::ldexp(1.0, 100) && static_cast<Int128>(x) < range.lo);
    outside = outside || over || under;
    add(over ? range.hi : under ? range.lo : static_cast<Int128>(x));
  };
  if (v.finite) {
    add_real(v.lo);
    add_real(v.hi);
  }
  if (v.Zero()) add(0);
  if (v.pos_inf) add(range.hi);
  if (v.neg_inf) add(range.lo);
  if (v.nan) add(0);
  // Out of range the documents leave the value open (acceptance-rules 20).
  if (outside && !saturate) return AcceptanceSet::Unspecified(Term::kFreedom, context.origin);
  AcceptanceSet s = AcceptanceSet::Integers(lo, hi);
  s.origin = context.origin;
  if (lo != hi) s.term = Term::kJump;
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
    return AcceptanceSet::Unspecified(Term::kFreedom, context.origin);
  }
  AcceptanceSet s = StoreImage(r, own);
  s.origin = context.origin;
  if (s.finite() && s.lo != s.hi) {
    s.term = a.ilo == a.ihi ? Term::kDoubleRound : a.term;
    if (a.ilo != a.ihi) s.origin = a.origin;
  }
  return s;
}

}  // namespace hlocts
