// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>

#include "spec/judge/float_images.h"

namespace hlocts {

using Flag = AcceptanceSet::Flag;

namespace {

struct CauseRow {
  absl::string_view name;
  int lemma = 0;
};
constexpr CauseRow kCauses[] = {{"nothing"},
                                {"error bound of a function", 17},
                                {"order of additions"},
                                {"order of multiplications", 15},
                                {"flushed subnormals", 14},
                                {"skipped rounding", 5},
                                {"double rounding", 8},
                                {"overflow", 6},
                                {"sign of zero"},
                                {"NaN"},
                                {"a comparison or discontinuity that may go either way"},
                                {"number of uses of init", 11},
                                {"bound of a joint predicate"},
                                {"freedom of the documents"},
                                {"not expressible as a set"},
                                {"zero or sign that the type lacks"},
                                {"operands rounded to fewer bits", 19},
                                {"operands split into parts", 40}};
static_assert(std::size(kCauses) == static_cast<size_t>(kLastWideningCause) + 1);

// Returns the amount by which reading unrounded values widened an operand. `hulls` is the flag of
// the operands whose unrounded values were read.
double SkippedWidth(const AcceptanceSet& operand, uint16_t hulls) {
  if (!operand.Has(Flag::kPreRounding) || !operand.Has(hulls)) return 0;
  if (!operand.finite()) return kInfinity;
  return (operand.rhi - operand.rlo) - (operand.hi - operand.lo);
}

}  // namespace

absl::string_view WideningCauseName(WideningCause cause) {
  return kCauses[static_cast<int>(cause)].name;
}

int LemmaOf(WideningCause cause) { return kCauses[static_cast<int>(cause)].lemma; }

WideningCause OwnTerm(const AcceptanceSet& s, bool may_flush, const SetContext& context) {
  if (s.finite() && s.lo != s.hi) {
    const double ulps = 2 * context.rule.ulps * context.result->Ulp(s.hi);
    // The infinity of log or rsqrt is that of a subnormal operand that is read as zero.
    const bool flushed = may_flush && (s.hi - s.lo > ulps || s.Has(Flag::kPosInf | Flag::kNegInf));
    if (context.rule.rule_class == RuleClass::kUlp && !flushed) return WideningCause::kUlps;
    bool twice = context.rule.Allows(kDoubleRounding) && BitWidth(context.result->type) <= 16;
    return twice && !may_flush ? WideningCause::kDoubleRound : WideningCause::kUnderflow;
  }
  if (s.finite() && (s.Has(Flag::kPosInf) || s.Has(Flag::kNegInf))) return WideningCause::kOverflow;
  if (!s.Has(Flag::kNan)) return WideningCause::kZeroSign;
  // The NaN may be an infinity times a subnormal that is read as zero.
  return may_flush && !s.finite() ? WideningCause::kUnderflow : WideningCause::kNan;
}

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

// A negative zero that is stored as the format's only zero may be read unrounded (lemma 7).
AcceptanceSet InFormat(const AcceptanceSet& s, const SetContext& context) {
  const FloatFacts& facts = *context.result;
  constexpr uint16_t kZeros = Flag::kPosZero | Flag::kNegZero;
  if (!facts.has_zero && (s.Has(kZeros | Flag::kNegInf) || (s.finite() && s.lo <= 0))) {
    return AcceptanceSet::Unspecified(WideningCause::kFormat, context.origin);
  }
  AcceptanceSet held = s;
  if (facts.negative_zero || !s.Has(kZeros)) return held;
  held.flags = (s.flags & ~kZeros) | Flag::kPosZero;
  if (s.Has(Flag::kNegZero)) held.flags |= Flag::kPreRounding;
  return held;
}

AcceptanceSet WithCause(AcceptanceSet s, const SetContext& context,
                        std::initializer_list<const AcceptanceSet*> operands, uint16_t hulls) {
  s = InFormat(s, context);
  if (s.unspecified()) return s;
  s.origin = context.origin;
  s.cause = WideningCause::kPoint;
  if (s.IsPoint()) return s;
  if (context.rule.Allows(kSkipRounding)) hulls = Flag::kPreRounding;
  bool may_flush = FlushExplains(s, context, operands);
  s.cause = OwnTerm(s, may_flush, context);
  double widest = 0, skipped = 0;
  for (const AcceptanceSet* operand : operands) {
    if (operand->integer()) continue;
    skipped = std::max(skipped, SkippedWidth(*operand, hulls));
    double width = operand->finite() ? operand->hi - operand->lo : 0;
    if (operand->cause != WideningCause::kPoint && (width > widest || s.origin == context.origin)) {
      bool own = context.rule.rule_class == RuleClass::kUlp && width == 0;
      if (own) continue;
      widest = width;
      s.cause = operand->cause;
      s.origin = operand->origin;
    }
  }
  bool ulps = context.rule.rule_class == RuleClass::kUlp && s.finite();
  double own = ulps        ? 2 * context.rule.ulps * context.result->Ulp(s.hi)
               : may_flush ? context.result->min_normal
                           : 0;
  if (skipped > std::max(widest, own)) {
    s.cause = WideningCause::kContract;
    s.origin = context.origin;
  }
  return s;
}

}  // namespace hlocts
