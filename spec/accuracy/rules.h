// SPDX-License-Identifier: Apache-2.0
// The table of acceptance rules: operation x element type x profile, as data.
//
// A Rule bounds the distance of a result from the exact one; permissions are separate bits. The set
// arithmetic of spec/judge reads rules and never names an operation or an engine.
//
// To add or change a bound, edit its row in function_ulps.inc, or the function of its class in
// rules.cc. spec_accuracy_test checks that every row of spec/ops has a rule for each permitted type
// and that strict is within default and default within relaxed; spec_judge_test checks the same on
// sets.
#ifndef HLOCTS_SPEC_ACCURACY_RULES_H_
#define HLOCTS_SPEC_ACCURACY_RULES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/accuracy/profile.h"
#include "spec/ir/opcode_fwd.h"
#include "spec/ir/primitive_type.h"
#include "spec/ops/op_table.h"

namespace hlocts {

enum class RuleClass : uint8_t {
  kNone,              // no rule: the lint reports it
  kExact,             // one value, bit for bit where bits are known
  kCorrectlyRounded,  // the nearest value, ties to even
  kUlp,               // within `ulps` of the exact value (see ulp below), plus backward slack
  kSum,               // n u sum|x| in any order, then one rounding
  kProduct,           // (1+u)^n in any order
  kByComputation,     // the rule of the called computation
  kNormwise,          // FFT: ulps * log2(N) u of the 2-norm
  kResidual,          // Cholesky, TriangularSolve: ulps * (n+1) u of |L||L^T|, |T||x|
  kPermutation,       // sort, topk: rows are a permutation, order as determinate as the keys are
  kDistribution,      // random draws
  kInherited,         // batch-norm: the rules of its formula
  kNeighbours,        // stochastic-convert: one of the two neighbours
  kUnknown,           // custom-call, infeed: no rule is known
};

// Deviations that are permitted in addition to the rule. Each bit is one permission; all
// combinations are valid.
enum Permission : uint32_t {
  kFlushResult = 1u << 0,    // FTZ: a result below the least normal may be a zero of its sign
  kFlushOperand = 1u << 1,   // DAZ: a subnormal operand may be read as a zero of its sign
  kSkipRounding = 1u << 2,   // Elide: consumers may read the unrounded result (any consumer)
  kElideToWider = 1u << 3,   // Elide at op -> widening convert only
  kContract = 1u << 4,       // a product reaching an add may be unrounded (FMA)
  kZeroSignFree = 1u << 5,   // SloppyZero: a zero result may have either sign
  kDropNan = 1u << 6,        // max/min may return the operand that is not NaN
  kMaxOrInfinity = 1u << 7,  // Overflow2: at overflow the largest finite value or infinity
  kQuietNan = 1u << 8,       // moves may quieten a signalling NaN
  kTruncate = 1u << 9,       // TruncAcc: accumulation may truncate (2u)
  kNarrowSum = 1u << 10,     // AccBits: f8 contractions accumulate in about 14 bits
  kFastConvolution = 1u << 11,
  kBlockInverse = 1u << 12,
  kSplitDot = 1u << 13,        // operands of a contraction may be split or rounded to TF32
  kDoubleRounding = 1u << 14,  // a conversion may round to a wider format first
  kWiderSum = 1u << 15,        // sums of 16-bit types may be accumulated in f32
  kNoRangeGuard = 1u << 16,    // |tanh| <= 1 and the like need not hold
  kOneIsAnyNan = 1u << 17,     // pow(1, NaN) and pow(NaN, 0) may be 1 or NaN
  kClampEither = 1u << 18,     // clamp with lo > hi: either bound
  kBothVariances = 1u << 19,   // batch-norm: two-pass, E[x^2]-m^2 or Welford
  kLongQuotient = 1u << 20,    // remainder: beyond 2^p quotients, any number below the divisor
  kOwnSum = 1u << 21,          // contractions may accumulate in the type of their result
  kTruncateSum = 1u << 22,     // reductions of f32 may truncate (2u)
  kConvertTwice = 1u << 23,    // 64-bit integers may become f32 through f64
};

struct Rule {
  RuleClass rule_class = RuleClass::kNone;
  // kUlp: units in the last place at the exact value; kNormwise, kResidual: the factor.
  float ulps = 0;
  // kUlp: further ulps per unit of |x| (functions computed through an exponential), and backward
  // slack: the argument may be off by that many ulps (complex functions).
  float ulps_per_argument = 0;
  float backward = 0;
  // kUlp: where the exact magnitude is at least 2^big_exponent, `big_ulps` replaces ulps.
  float big_ulps = 0;
  int16_t big_exponent = INT16_MAX;
  // kUlp: or within this distance of the exact value, if that is larger than the ulps.
  float absolute = 0;
  // kUlp: further tolerance that the module requests, relative and absolute.
  double relative = 0;
  double added = 0;
  // kUlp: results of at least 2^overflow_exponent may be infinite (an intermediate one overflowed).
  int16_t overflow_exponent = INT16_MAX;
  uint32_t permissions = 0;

  bool Allows(Permission permission) const { return (permissions & permission) != 0; }
  // kUlp: ulps of the result are the only bound.
  bool HasOnlyUlps() const {
    return ulps_per_argument == 0 && backward == 0 && absolute == 0 && relative == 0 &&
           added == 0 && overflow_exponent == INT16_MAX;
  }
};

// The rule for results of `opcode` on elements of `type` (its operand 0; a leaf's result; for
// convert the pair is looked up by ConvertRule). kNone when the row does not allow the type.
Rule RuleFor(Opcode opcode, PrimitiveType type, Profile profile);
Rule ConvertRule(PrimitiveType from, PrimitiveType to, Profile profile);
// The same for an engine that declares these facts (fact_rules.cc).
Rule RuleFor(Opcode opcode, PrimitiveType type, Profile profile, const TargetFacts& facts);
// Applies the facts to a row (of conversions from a type).
Rule WithFacts(Rule rule, Opcode opcode, PrimitiveType type, Profile profile,
               const TargetFacts& facts);
Rule ConvertWithFacts(Rule rule, PrimitiveType from, Profile profile, const TargetFacts& facts);

// Permissions of all arithmetic results of that type in that profile.
uint32_t ArithmeticPermissions(PrimitiveType type, Profile profile);

// Range guard of a real function: results are in [lo, hi] regardless of the ulps.
struct RangeGuard {
  double lo;
  double hi;
};
RangeGuard RangeGuardOf(Opcode opcode);

// "ulp(4)", "correctly-rounded", "sum", ...: the rule as verdicts print it.
std::string RuleText(const Rule& rule);
absl::string_view RuleClassName(RuleClass rule_class);

// A mutant of the table for the self-check: returns the rule that replaces a row. Empty: no change.
using RuleChange = std::function<Rule(Opcode, PrimitiveType, Profile, const Rule&)>;

// Problems of the table (with the change), one line each: missing rules, and profiles that are not
// nested. Empty if there are none.
std::vector<std::string> LintRules(const RuleChange& change = {});

}  // namespace hlocts

#endif  // HLOCTS_SPEC_ACCURACY_RULES_H_
