// SPDX-License-Identifier: Apache-2.0
// The table of acceptance rules, as data: one rule per operation, element type and profile.
//
// A Rule bounds the distance of a result from the exact one. Permissions are separate bits. The set
// arithmetic of spec/judge reads rules and never names an operation or an engine.
//
// To add or change a bound, edit its row in function_ulps.inc, or the function of its class in
// rules.cc. spec_accuracy_test checks that every operation of spec/ops has a rule for each
// permitted type, and that the profiles are nested (strict within default, default within relaxed).
// spec_judge_test checks the nesting on sets.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/accuracy/profile.h"
#include "spec/ir/opcode_fwd.h"
#include "spec/ir/primitive_type.h"
#include "spec/ops/op_table.h"

namespace hlocts {

enum class RuleClass : uint8_t {
#define HLOCTS_RULE_CLASS(symbol, name, meaning) symbol,
#include "spec/accuracy/rule_words.def"
#undef HLOCTS_RULE_CLASS
};
absl::string_view RuleClassName(RuleClass rule_class);
absl::string_view RuleClassMeaning(RuleClass rule_class);

// Deviations that are permitted in addition to the rule. The bits are independent permissions.
enum Permission : uint32_t {
  kFlushResult = 1u << 0,    // FTZ: a result below the least normal may be a zero of its sign
  kFlushOperand = 1u << 1,   // DAZ: a subnormal operand may be read as a zero of its sign
  kSkipRounding = 1u << 2,   // every consumer may read the unrounded result
  kElideToWider = 1u << 3,   // a convert to a wider type may read the unrounded result
  kContract = 1u << 4,       // an addition may read the unrounded product (FMA)
  kZeroSignFree = 1u << 5,   // a zero result may have either sign
  kDropNan = 1u << 6,        // max/min may return the operand that is not NaN
  kMaxOrInfinity = 1u << 7,  // overflow may give the largest finite value or infinity
  kQuietNan = 1u << 8,       // moves may quieten a signalling NaN
  kTruncate = 1u << 9,       // contractions may truncate partial sums (2u instead of u)
  kNarrowSum = 1u << 10,     // f8 contractions may accumulate in about 14 bits
  kFastConvolution = 1u << 11,
  kBlockInverse = 1u << 12,
  kSplitDot = 1u << 13,        // operands of a contraction may be split or rounded to TF32
  kDoubleRounding = 1u << 14,  // a conversion may round to a wider format first
  kWiderSum = 1u << 15,        // sums of 16-bit types may be accumulated in f32
  kNoRangeGuard = 1u << 16,    // bounds such as |tanh| <= 1 need not be met
  kOneIsAnyNan = 1u << 17,     // pow(1, NaN) and pow(NaN, 0) may be 1 or NaN
  kClampEither = 1u << 18,     // clamp with lo > hi may return either bound
  kBothVariances = 1u << 19,   // the variance may use two passes, E[x^2]-m^2 or Welford
  kLongQuotient = 1u << 20,    // remainder: any number below the divisor if the quotient > 2^p
  kOwnSum = 1u << 21,          // contractions may accumulate in the type of their result
  kTruncateSum = 1u << 22,     // reductions of f32 may truncate partial sums (2u)
  kConvertTwice = 1u << 23,    // 64-bit integers may become f32 through f64
};

struct Rule {
  RuleClass rule_class = RuleClass::kNone;
  // kUlp: units in the last place at the exact value; kNormwise, kResidual: the factor.
  float ulps = 0;
  // kUlp: `ulps_per_argument` are further ulps per unit of |x|, for functions computed through an
  // exponential. `backward` is the error of the argument in ulps, for complex functions.
  float ulps_per_argument = 0;
  float backward = 0;
  // kUlp: replaces `ulps` if the exact magnitude is at least 2^big_exponent.
  float big_ulps = 0;
  int16_t big_exponent = INT16_MAX;
  // kUlp: an absolute error that is accepted if it is larger than the ulps.
  float absolute = 0;
  // kUlp: further relative and absolute tolerance that the module requests.
  double relative = 0;
  double added = 0;
  // kUlp: a result of at least 2^overflow_exponent may be infinite (intermediate overflow).
  int16_t overflow_exponent = INT16_MAX;
  uint32_t permissions = 0;

  bool Allows(Permission permission) const { return (permissions & permission) != 0; }
  // Returns true if the ulps of the result are the only bound. For kUlp.
  bool HasOnlyUlps() const {
    return ulps_per_argument == 0 && backward == 0 && absolute == 0 && relative == 0 &&
           added == 0 && overflow_exponent == INT16_MAX;
  }
};

// Returns the rule for results of `opcode`. `type` is the element type of operand 0, or of the
// result if there are no operands; ConvertRule takes both types of a convert. The class is kNone if
// the opcode does not allow the type.
Rule RuleFor(Opcode opcode, PrimitiveType type, Profile profile);
Rule ConvertRule(PrimitiveType from, PrimitiveType to, Profile profile);
// Returns the rule for an engine that declares these facts (fact_rules.cc).
Rule RuleFor(Opcode opcode, PrimitiveType type, Profile profile, const TargetFacts& facts);
// Return the rule with the facts applied. ConvertWithFacts is for a convert from type `from`.
Rule WithFacts(Rule rule, Opcode opcode, PrimitiveType type, Profile profile,
               const TargetFacts& facts);
Rule ConvertWithFacts(Rule rule, PrimitiveType from, Profile profile, const TargetFacts& facts);

// Returns the permissions that all arithmetic results of `type` have in `profile`.
uint32_t ArithmeticPermissions(PrimitiveType type, Profile profile);

// The range of a real function. Without kNoRangeGuard, results are in it regardless of the ulps.
struct RangeGuard {
  double lo;
  double hi;
};
RangeGuard RangeGuardOf(Opcode opcode);

// Returns the rule as verdicts print it: "correctly-rounded", "sum", "ulp(4)", or a rule of ulps
// with all its terms, where x is the argument and y the exact result: "ulp(3), 7 from 2^127" (if
// |y| is at least 2^127), "ulp(5+1|x|)", "ulp(8) or 1e-06" (the larger one),
// "ulp(2)+0.001|y|+1e-05".
std::string RuleText(const Rule& rule);

// A mutant of the table for the self-check: returns the rule that replaces the given rule. An empty
// function changes nothing.
using RuleChange = std::function<Rule(Opcode, PrimitiveType, Profile, const Rule&)>;

// Returns the problems of the table after `change`, one line each: missing rules, and profiles that
// are not nested. Empty if there are none.
std::vector<std::string> LintRules(const RuleChange& change = {});

// Applies the attribute `result_accuracy`, the accuracy that a module requests (lemma 41).

// Replaces the numbers of the rule by those that `attribute` requests: "{mode=highest}" or
// "{tolerance={atol=0,rtol=0.001,ulps=0}}"; "" and "{mode=default}" request nothing. Changes only
// kCorrectlyRounded and kUlp rules of real functions. `by_default` is the default profile's rule.
void HonourResultAccuracy(absl::string_view attribute, PrimitiveType type, Profile profile,
                          const Rule& by_default, Rule& rule);

}  // namespace hlocts
