// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/sums/sums.h"

#include <algorithm>
#include <cmath>

namespace hlocts::reference {
namespace {

double DataOr(const Literal& literal, int64_t i, double otherwise) {
  return literal.raw_size() == 0 ? otherwise : literal.data<double>()[i];
}

// Returns the number of roundings whose errors add up: all of them in the worst case; for likely
// sets, a multiple of the root of their number. If a sum is so long that small terms are lost one
// after another, roundings are not independent, so all of them are counted (lemma 32).
double StepsOf(const SumRule& rule, double roundings, double u) {
  constexpr double kStagnates = 0x1p-3;
  if (rule.likely <= 0 || roundings * u > kStagnates) return roundings;
  return std::min(roundings, rule.likely * std::sqrt(roundings));
}

// Returns true if the accumulator does not round a single product: its significand has enough bits,
// or the result has the accumulator's format, so only StoreImage rounds.
bool ProductFits(const SumParts& parts, const SumRule& rule, const FloatFacts& result) {
  return (!parts.has_radius && 2 * parts.bits <= rule.precision) ||
         (&result == rule.accumulator && rule.precision == result.p);
}

// Returns the error relative to the sum of magnitudes.
double RelativeError(const SumParts& parts, const SumRule& rule, const FloatFacts& result,
                     double count) {
  double roundings = rule.additions_only ? std::max(count - 1, 0.0) : count;
  const bool shallow = rule.height && static_cast<double>(*rule.height) < roundings;
  if (shallow) roundings = static_cast<double>(*rule.height) + (parts.products ? 1 : 0);
  const bool single = parts.products && count <= 1 && rule.passes == 1;
  if (single && ProductFits(parts, rule, result)) roundings = 0;
  roundings *= rule.passes;
  const double u = std::ldexp(rule.rounds_twice ? 1 + 0x1.01p-13 : 1.0, -rule.precision);
  const double steps = StepsOf(rule, roundings, u);
  double relative = steps * rule.factor * u;
  // The bound without a quadratic term holds for n terms in sequence, but not for a shallow tree.
  if (shallow || relative > 0.5) relative = std::expm1(relative);
  if (rule.partials > 0) {
    const double own = rule.partials * std::ldexp(1.0, -rule.partial->p);
    relative += own + own * relative;
  }
  return relative + rule.operand_error * (1 + relative);
}

double LargestOf(const SumRule& rule) {
  return rule.partials > 0 ? rule.partial->max : rule.accumulator->max;
}

// Returns the set of a sum with definite infinities or NaNs. By IEEE 754 the sum is the same in any
// order, unless finite terms may overflow to the other infinity, or an infinity may be multiplied
// by zero.
AcceptanceSet NonFiniteSum(const SumParts& parts, const SumRule& rule, int64_t i,
                           const SetContext& context) {
  double special = parts.special.data<double>()[i];
  double finite = parts.magnitude.data<double>()[i], limit = LargestOf(rule);
  if (parts.scale != 0 && !std::isfinite(finite)) {
    finite = parts.scaled_magnitude.data<double>()[i];
    limit = std::ldexp(limit, -parts.scale);
  }
  const double growth =
      RelativeError(parts, rule, *context.result, DataOr(parts.counts, i, parts.count));
  bool overflow = !(finite * (1 + growth) < limit);
  bool flushed = parts.has_flushed && parts.flushed.data<double>()[i] > 0;
  Image image{.nan = std::isnan(special) || overflow || flushed,
              .pos_inf = special == HUGE_VAL || flushed,
              .neg_inf = special == -HUGE_VAL || flushed};
  AcceptanceSet s = StoreImage(image, context);
  if (overflow || flushed) s.cause = WideningCause::kOverflow;
  return s;
}

struct SumError {
  double error = 0;
  bool exact = false;
  bool by_underflow = false;  // more than half of the error is that of underflow
};

SumError ErrorOf(const SumParts& parts, const SumRule& rule, double centre, double magnitude,
                 double count, const SetContext& context) {
  SumError result;
  bool quantum = parts.quantum != Linear::kNoQuantum;
  bool narrow_operands = rule.operand_error == 0 || parts.bits <= 8;
  // Every partial sum is a multiple of the quantum and fits, so all orders of addition are exact.
  // No partial sum exceeds the positive terms or the negative ones. Both sums are exact in f64 for
  // the precisions below; an operand in several parts has parts of both signs.
  const int precision = rule.partials > 0 ? rule.partial->p : rule.precision;
  const FloatFacts& narrowest = rule.partials > 0 ? *rule.partial : *rule.accumulator;
  const bool one_sided = precision < 53 && (rule.passes == 1 || parts.bits <= 8);
  const double largest = one_sided ? (magnitude + std::abs(centre)) / 2 : magnitude;
  if (quantum && narrow_operands && parts.quantum >= narrowest.emin - precision + 1 &&
      largest <= std::ldexp(1.0, std::min(precision + parts.quantum, 1023))) {
    bool flushes = context.rule.Allows(kFlushResult) && parts.quantum < narrowest.emin;
    result.exact = !flushes;
    if (result.exact) return result;
  }
  const double relative = RelativeError(parts, rule, *context.result, count);
  // Covers the rounding of the magnitude, which was also summed in f64.
  double error = relative * magnitude * (1 + (count + 2) * 0x1p-52);
  const double rounding = error;
  bool deep = !quantum || parts.quantum < rule.accumulator->emin;
  if (deep) {
    double unit = context.rule.Allows(kFlushResult) ? rule.accumulator->min_normal
                                                    : rule.accumulator->tiny / 2;
    // A tree of any height has one fewer addition than it has terms.
    const double terms = count * rule.passes;
    double events = parts.products ? terms : 0;
    if (context.rule.Allows(kFlushResult)) events += std::max(terms - 1, 0.0);
    if (rule.partials > 0) events += rule.partials * rule.partial->min_normal / unit;
    error += events * unit * (1 + relative);
  }
  result.by_underflow = error > 2 * rounding;
  // Covers the rounding of the centre, which was summed in f64.
  if (!(parts.products && count <= 1)) error += (count + 2) * 0x1p-53 * magnitude;
  result.error = NextUp(error * (1 + 0x1p-50));
  return result;
}

// Adds infinities that some order of additions can reach although the sum itself is finite. `max`
// is the accumulator's largest number, in the units of the sum.
void AddOverflowingOrders(double centre, double magnitude, double error, double max,
                          const SetContext& context, AcceptanceSet& s) {
  double positive = (magnitude + centre) / 2 + error, negative = (magnitude - centre) / 2 + error;
  bool over = positive >= max, under = negative >= max;
  if (!over && !under) return;
  AddPartialOverflow(over, under, context, s);
  s.cause = WideningCause::kOverflow;
}

// Bounds a sum whose terms leave the range of f64, from its scaled parts.
AcceptanceSet BoundScaled(const SumParts& parts, const SumRule& rule, int64_t i, double count,
                          const SetContext& context) {
  double centre = parts.scaled_centre.data<double>()[i];
  double magnitude = parts.scaled_magnitude.data<double>()[i];
  double relative = RelativeError(parts, rule, *context.result, count) + (count + 2) * 0x1p-51;
  // The last term covers the loss by scaling below the least double.
  double error = NextUp(relative * magnitude * (1 + 0x1p-50) + (4 * count + 4) * 0x1p-1070);
  double radius = parts.has_radius ? std::max(DataOr(parts.scaled_radius, i, 0), 0.0) : 0;
  auto outward = [&](double x, bool up) {
    double y = std::ldexp(x, parts.scale);
    return std::isinf(y) ? y : up ? NextUp(y) : NextDown(y);
  };
  Image image{.finite = true,
              .lo = {outward(NextDown(centre - error - radius), false), 0},
              .hi = {outward(NextUp(centre + error + radius), true), 0}};
  if (image.lo.value <= 0 && image.hi.value >= 0) image.pos_zero = image.neg_zero = true;
  AcceptanceSet s = StoreImage(image, context);
  AddOverflowingOrders(centre, magnitude, error + radius,
                       std::ldexp(rule.accumulator->max, -parts.scale), context, s);
  s.cause = s.Has(AcceptanceSet::kPosInf | AcceptanceSet::kNegInf) ? WideningCause::kOverflow
                                                                   : WideningCause::kSum;
  s.origin = context.origin;
  MarkContractible(s);
  return s;
}

// Returns the image of a number within `spread` of the centre. If `spread` is 0, the number is one
// f64 product; if `rounded`, the product was rounded to `centre` in an unknown direction.
Image AroundCentre(double centre, double spread, bool rounded) {
  Image image;
  image.finite = true;
  if (spread == 0) {
    image.lo = image.hi = {centre, rounded ? Bound::kUnknown : int8_t{0}};
  } else {
    image.lo = {NextDown(centre - spread), 0};
    image.hi = {NextUp(centre + spread), 0};
  }
  if (image.lo.value <= 0 && image.hi.value >= 0) image.pos_zero = image.neg_zero = true;
  return image;
}

// Returns how far the sum of the terms may be from the sum of their midpoints.
double TermRadius(const SumParts& parts, int64_t i, double magnitude, double count) {
  if (!parts.has_radius) return 0;
  // The spread of products is a difference of two magnitudes, which may be rounded below 0.
  return std::max(parts.radius.data<double>()[i], 0.0) + (count + 2) * 0x1p-51 * magnitude;
}

// Extends the set of a sum of numbers, and of certain infinities and NaNs, by the results of terms
// that may also be infinities or NaNs (lemma 1, "Possible infinities").
AcceptanceSet WithPossibleSpecials(const AcceptanceSet& s, const SumParts& parts, int64_t i,
                                   const SetContext& context) {
  const auto may_be = [&](int k) { return parts.possible[k].data<double>()[i] > 0; };
  if (s.unspecified() || !(may_be(0) || may_be(1) || may_be(2))) return s;
  if (!context.result->infinity) return AcceptanceSet::Unspecified(parts.cause, parts.origin);
  const bool above = s.Has(AcceptanceSet::kPosInf), below = s.Has(AcceptanceSet::kNegInf);
  // If no term is certainly an infinity or a NaN, `s` may be infinite only because of the number
  // that a possibly infinite term would otherwise be.
  const double certain = parts.has_special ? parts.special.data<double>()[i] : 0;
  Image image;
  image.pos_inf = may_be(0) && (std::isfinite(certain) || above);
  image.neg_inf = may_be(1) && (std::isfinite(certain) || below);
  image.nan = may_be(2) || (may_be(0) && (may_be(1) || below)) || (may_be(1) && above);
  AcceptanceSet joined = s;
  if (image.pos_inf || image.neg_inf || image.nan) joined = Join(s, StoreImage(image, context));
  joined.cause = parts.cause;
  joined.origin = parts.origin;
  return joined;
}

AcceptanceSet BoundOne(const SumParts& parts, const SumRule& rule, int64_t i,
                       const SetContext& context, double& noted) {
  if (parts.has_uncertain && parts.uncertain.data<double>()[i] > 0) {
    return AcceptanceSet::Unspecified(parts.cause, parts.origin);
  }
  double centre = parts.centre.data<double>()[i], magnitude = parts.magnitude.data<double>()[i];
  double fast = 0;
  if (parts.has_fast) {
    fast = parts.fast.data<double>()[i];
    if (std::isinf(fast))
      return AcceptanceSet::Unspecified(WideningCause::kFreedom, context.origin);
  }
  if (parts.has_special && !std::isfinite(parts.special.data<double>()[i])) {
    return NonFiniteSum(parts, rule, i, context);
  }
  double count = DataOr(parts.counts, i, parts.count);
  if (!std::isfinite(centre) || !std::isfinite(magnitude)) {
    if (parts.scale != 0 && fast == 0) return BoundScaled(parts, rule, i, count, context);
    return AcceptanceSet::Unspecified(WideningCause::kOverflow, context.origin);
  }
  const double radius = TermRadius(parts, i, magnitude, count);
  SumError error = ErrorOf(parts, rule, centre, magnitude, count, context);
  if (fast > 0) error = {NextUp(error.error + fast), false, false};
  noted = error.error;
  const bool rounded = context.result->is_f64 && !error.exact && centre != 0;
  AcceptanceSet s = StoreImage(AroundCentre(centre, error.error + radius, rounded), context);
  // A term of unknown sign is counted in both sums; each sum then lacks half of the term's radius.
  AddOverflowingOrders(centre, magnitude, error.error + radius / 2, LargestOf(rule), context, s);
  MarkContractible(s);
  if (s.finite() && s.lo != s.hi && s.cause != WideningCause::kOverflow) {
    bool inherited = radius > error.error;
    const bool read = rule.operand_error * magnitude > error.error / 2;
    s.cause = inherited            ? parts.cause
              : read               ? rule.operand_cause
              : error.by_underflow ? WideningCause::kUnderflow
                                   : WideningCause::kSum;
    s.origin = inherited && parts.origin != 0 ? parts.origin : context.origin;
  }
  return s;
}

}  // namespace

std::vector<AcceptanceSet> BoundSums(const SumParts& parts, const SumRule& rule,
                                     const SetContext& context, std::vector<double>* errors) {
  SetContext rounding = context;
  rounding.rule.rule_class = RuleClass::kCorrectlyRounded;
  std::vector<AcceptanceSet> sets;
  int64_t count = parts.centre.element_count();
  sets.reserve(count);
  if (errors != nullptr) errors->clear();
  for (int64_t i = 0; i < count; ++i) {
    double error = HUGE_VAL;
    sets.push_back(BoundOne(parts, rule, i, rounding, error));
    if (parts.has_possible) sets.back() = WithPossibleSpecials(sets.back(), parts, i, rounding);
    if (errors != nullptr) errors->push_back(error);
  }
  return sets;
}

std::vector<AcceptanceSet> Interleaved(const std::vector<AcceptanceSet>& re,
                                       const std::vector<AcceptanceSet>& im) {
  std::vector<AcceptanceSet> sets;
  for (size_t i = 0; i < re.size(); ++i) {
    sets.push_back(re[i]);
    sets.push_back(im[i]);
  }
  return sets;
}

void AddDeviceParts(int64_t devices, const FloatFacts& result, SumRule& sum) {
  if (devices < 2) return;
  if (sum.height) *sum.height += devices - 1;
  if (sum.precision <= result.p && sum.accumulator->max <= result.max) return;
  const double before = sum.partial == nullptr ? 0 : std::ldexp(sum.partials, -sum.partial->p);
  const double own = std::ldexp(static_cast<double>(devices), -result.p);
  if (sum.partial == nullptr || result.p < sum.partial->p) sum.partial = &result;
  sum.partials = std::ldexp(before + own + before * own, sum.partial->p);
}

SumRule ReductionSumRule(SetInterpreter& interpreter, Opcode opcode, const Rule& rule,
                         PrimitiveType type) {
  PrimitiveType component = ComponentType(type);
  SumRule sum;
  sum.accumulator = &FactsOf(component);
  const TargetFacts& facts = interpreter.options().facts;
  const bool in_f32 =
      facts.reduce_f32_sums && opcode == Opcode::kReduce && sum.accumulator->p <= 11;
  if (in_f32) sum.accumulator = &FactsOf(PrimitiveType::kF32);
  sum.precision = sum.accumulator->p;
  sum.additions_only = true;
  sum.likely = interpreter.options().likely;
  sum.height = facts.reduce_height;
  const bool truncates = rule.Allows(kTruncateSum) && component == PrimitiveType::kF32;
  if (truncates && sum.likely == 0) sum.factor = interpreter.options().bounds->TruncatedUnits();
  sum.rounds_twice = rule.Allows(kWiderSum) && sum.precision < 24;
  AddDeviceParts(interpreter.sum_devices(), FactsOf(component), sum);
  return sum;
}

}  // namespace hlocts::reference
