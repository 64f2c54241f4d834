// SPDX-License-Identifier: Apache-2.0
#include "spec/accuracy/rules.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/ir/float_format.h"
#include "spec/ir/opcode.h"

namespace hlocts {
namespace {

// The rules of functions. Their bounds are published or derived (lemmas 16, 17, 24).

bool Narrow(PrimitiveType type) { return IsFloat(type) && BitWidth(type) <= 8; }
bool SixteenBits(PrimitiveType type) { return IsFloat(type) && BitWidth(type) == 16; }
bool Inexact(PrimitiveType type) { return IsFloat(type) || IsComplex(type); }
bool AtLeastDefault(Profile profile) { return profile != Profile::kStrict; }

Rule MakeRule(RuleClass rule_class, float ulps, uint32_t permissions) {
  return {.rule_class = rule_class, .ulps = ulps, .permissions = permissions};
}

struct FunctionRow {
  Opcode opcode;
  float f64, f32, f16, bf16;
  float f64_relaxed, f32_relaxed, half_relaxed, absolute_relaxed;
  float per_argument;
  int16_t big_exponent;
  float big_ulps;
  double guard_lo, guard_hi;
};
constexpr FunctionRow kFunctions[] = {
#define HLOCTS_FUNCTION(Name, ...) {Opcode::k##Name, __VA_ARGS__},
#include "spec/accuracy/function_ulps.inc"
#undef HLOCTS_FUNCTION
};

const FunctionRow* FunctionOf(Opcode opcode) {
  for (const FunctionRow& row : kFunctions) {
    if (row.opcode == opcode) return &row;
  }
  return nullptr;
}

// Returns the error in ulps of an 8-bit result that is computed through a 16-bit format: the error
// in that format, plus half an ulp for the last rounding, or a whole ulp if the first error may
// reach into the next binade (lemma 17). The 16-bit format is f16 in the default profile and bf16
// in the relaxed profile.
float UlpsOfNarrow(const FunctionRow& row, PrimitiveType type, bool relaxed) {
  const PrimitiveType via = relaxed ? PrimitiveType::kBF16 : PrimitiveType::kF16;
  const float ulps = relaxed ? row.half_relaxed : row.f16;
  const float before = std::ldexp(ulps, FormatOf(type).precision() - FormatOf(via).precision());
  return before + (before > 1 ? 1.0f : 0.5f);
}

// The factor from ulps of f32 to ulps of f16. For bf16, the factor 2^-16 would suffice.
constexpr float kShareOfNarrow = 0x1p-13f;

Rule RealFunctionRule(const FunctionRow& row, PrimitiveType type, Profile profile) {
  Rule rule = MakeRule(RuleClass::kUlp, 1, ArithmeticPermissions(type, profile));
  if (profile == Profile::kStrict) {
    if (Narrow(type)) rule.rule_class = RuleClass::kCorrectlyRounded;
    return rule;
  }
  bool relaxed = profile == Profile::kRelaxed;
  rule.permissions |= kMaxOrInfinity | kOneIsAnyNan;
  if (relaxed) rule.permissions |= kNoRangeGuard;
  // If the result is computed as (e^x -+ e^-x)/2, it overflows where e^x does (lemma 40).
  const bool halves = row.opcode == Opcode::kSinh || row.opcode == Opcode::kCosh;
  if (relaxed && halves) {
    rule.overflow_exponent = static_cast<int16_t>(std::ilogb(FormatOf(type).max_finite()));
  }
  rule.ulps_per_argument = row.per_argument;
  if (Narrow(type)) {
    rule.ulps = UlpsOfNarrow(row, type, relaxed);
    rule.ulps_per_argument = 0;
  } else if (SixteenBits(type)) {
    rule.ulps = relaxed ? row.half_relaxed : (type == PrimitiveType::kF16 ? row.f16 : row.bf16);
    rule.ulps_per_argument = row.per_argument * kShareOfNarrow;
  } else if (type == PrimitiveType::kF64) {
    rule.ulps = relaxed ? row.f64_relaxed : row.f64;
  } else {
    rule.ulps = relaxed ? row.f32_relaxed : row.f32;
    rule.absolute = relaxed ? row.absolute_relaxed : 0;
    rule.big_exponent = row.big_exponent;
    rule.big_ulps = relaxed ? row.f32_relaxed : row.big_ulps;
  }
  return rule;
}

// The bound, in ulps of the modulus, for two real functions in sequence in the relaxed profile.
// Each function has an error of 2^13 ulps, which may be twice as many ulps of the modulus.
constexpr float kUlpsOfTwoFunctions = 0x1p15f;

Rule DivideRule(PrimitiveType type, Profile profile);

// Returns the ulps of the modulus of a quotient that is computed from real operations (lemma 24).
// In the strict profile, the bound has slack for a multiplication by the reciprocal.
float QuotientUlps(PrimitiveType type, Profile profile) {
  if (profile == Profile::kStrict) return 8;
  const float real = DivideRule(ComponentType(type), profile).ulps;
  constexpr float kQuotients = 3.5f, kSteps = 4;  // a relaxed step has twice the error
  return kQuotients * real + kSteps * (profile == Profile::kRelaxed ? 2.0f : 1.0f);
}

// Returns the rule of a complex function: ulps of the modulus, and ulps of the argument
// (`backward`). If `algebraic`, returns the rule of quotients and moduli, where `backward` is 0.
Rule ComplexFunctionRule(bool algebraic, PrimitiveType type, Profile profile) {
  Rule rule = MakeRule(RuleClass::kUlp, 4, ArithmeticPermissions(type, profile));
  if (algebraic) {
    rule.ulps = QuotientUlps(type, profile);
    return rule;
  }
  switch (profile) {
    case Profile::kStrict:
      rule.backward = 1;
      break;
    case Profile::kDefault:
      rule.ulps = 10;
      rule.backward = 4;
      break;
    case Profile::kRelaxed:
      rule.ulps = type == PrimitiveType::kC64 ? kUlpsOfTwoFunctions : 1024;
      rule.backward = 8;
      break;
  }
  return rule;
}

// Returns the rule of a real or complex function, or kNone if the opcode is not in the table.
Rule FunctionRule(Opcode opcode, PrimitiveType type, Profile profile) {
  if (IsComplex(type)) return ComplexFunctionRule(false, type, profile);
  const FunctionRow* row = FunctionOf(opcode);
  if (row == nullptr) return {};
  return RealFunctionRule(*row, type, profile);
}

// 1.5 ulps allow a product with the rounded reciprocal; 2.5 is the bound of OpenCL (lemma 16).
Rule DivideRule(PrimitiveType type, Profile profile) {
  if (!Inexact(type)) return MakeRule(RuleClass::kExact, 0, 0);
  if (IsComplex(type)) return ComplexFunctionRule(true, type, profile);
  uint32_t permissions = ArithmeticPermissions(type, profile);
  if (profile == Profile::kStrict || (Narrow(type) && profile == Profile::kDefault)) {
    return MakeRule(RuleClass::kCorrectlyRounded, 0, permissions);
  }
  permissions |= kMaxOrInfinity;
  const bool f32 = type == PrimitiveType::kF32;
  if (profile == Profile::kRelaxed) {
    // f32: 256 admits a TPU's reciprocal (JAX: 198 ulps). f4e2m1fn: 2^(p-1), see lemma 17.
    const float ulps = f32 ? 256 : type == PrimitiveType::kF4E2M1FN ? 2 : 4;
    return MakeRule(RuleClass::kUlp, ulps, permissions);
  }
  return MakeRule(RuleClass::kUlp, f32 ? 2.5f : 1.5f, permissions);
}

Rule SquareRootRule(PrimitiveType type, Profile profile) {
  if (IsComplex(type)) return ComplexFunctionRule(false, type, profile);
  uint32_t permissions = ArithmeticPermissions(type, profile);
  if (profile == Profile::kRelaxed) {
    return MakeRule(RuleClass::kUlp, Narrow(type) ? 1 : 4, permissions);
  }
  if (profile == Profile::kDefault && type == PrimitiveType::kF32) {
    return MakeRule(RuleClass::kUlp, 1, permissions);
  }
  return MakeRule(RuleClass::kCorrectlyRounded, 0, permissions);
}

Rule AddMultiplyRule(bool add, PrimitiveType type, Profile profile) {
  if (!Inexact(type)) return MakeRule(RuleClass::kExact, 0, 0);
  uint32_t permissions = ArithmeticPermissions(type, profile);
  if (add && AtLeastDefault(profile)) permissions |= kZeroSignFree;
  if (profile == Profile::kRelaxed) {
    return MakeRule(RuleClass::kUlp, 1, permissions | kMaxOrInfinity);
  }
  return MakeRule(RuleClass::kCorrectlyRounded, 0, permissions);
}

// Returns the permissions for operands that are only read, compared or selected: flushes and, in
// the relaxed profile, skipped roundings (lemma 7).
uint32_t ReadPermissions(PrimitiveType type, Profile profile) {
  return ArithmeticPermissions(type, profile) & (kFlushOperand | kFlushResult | kSkipRounding);
}

// Returns an exact rule with the ReadPermissions and, in the relaxed profile, one more permission.
Rule ReadingRule(PrimitiveType type, Profile profile, Permission relaxed) {
  const bool more = profile == Profile::kRelaxed && Inexact(type);
  return MakeRule(RuleClass::kExact, 0,
                  ReadPermissions(type, profile) | (more ? uint32_t{relaxed} : 0u));
}

Rule MinMaxRule(PrimitiveType type, Profile profile) {
  uint32_t permissions = ReadPermissions(type, profile);
  if (profile == Profile::kRelaxed && Inexact(type)) permissions |= kDropNan | kClampEither;
  return MakeRule(RuleClass::kExact, 0,
                  permissions | (Inexact(type) ? uint32_t{kZeroSignFree} : 0u));
}

// Returns the rule of sums in any order. Contractions and reductions permit different accumulators.
Rule SumRule(bool contraction, PrimitiveType type, Profile profile) {
  uint32_t permissions = ArithmeticPermissions(type, profile);
  if (!Inexact(type)) return MakeRule(RuleClass::kExact, 0, 0);
  if (AtLeastDefault(profile)) permissions |= kZeroSignFree | kWiderSum;
  if (contraction && AtLeastDefault(profile)) permissions |= kTruncate | kFastConvolution;
  if (contraction && AtLeastDefault(profile) && BitWidth(type) <= 16) {
    permissions |= kNarrowSum | kOwnSum;
  }
  if (profile == Profile::kRelaxed) {
    permissions |= contraction ? uint32_t{kSplitDot} : kTruncateSum | kDropNan;
  }
  return MakeRule(RuleClass::kSum, 1, permissions);
}

Rule JointRule(RuleClass rule_class, float strict, float normal, float relaxed, PrimitiveType type,
               Profile profile) {
  float factor = profile == Profile::kStrict    ? strict
                 : profile == Profile::kDefault ? normal
                                                : relaxed;
  uint32_t permissions = ArithmeticPermissions(type, profile);
  if (AtLeastDefault(profile)) permissions |= kZeroSignFree | kBlockInverse;
  return MakeRule(rule_class, factor, permissions);
}

Rule InheritedRule(PrimitiveType type, Profile profile) {
  uint32_t permissions = ArithmeticPermissions(type, profile);
  if (AtLeastDefault(profile)) permissions |= kBothVariances;
  return MakeRule(RuleClass::kInherited, 1, permissions);
}

// Return the rules of comparisons and of operations that order by comparisons (ruling 0060).
Rule CompareRule(PrimitiveType type, Profile profile) {
  if (profile != Profile::kRelaxed) return {RuleClass::kExact};
  return MakeRule(RuleClass::kExact, 0, ReadPermissions(type, profile));
}
Rule OrderingRule(PrimitiveType type, Profile profile) {
  return MakeRule(RuleClass::kPermutation, 0,
                  profile == Profile::kRelaxed ? ReadPermissions(type, profile) : 0u);
}

Rule SignBitRule(Opcode opcode, PrimitiveType type, Profile profile) {
  if (IsComplex(type) && opcode == Opcode::kAbs) return ComplexFunctionRule(true, type, profile);
  return MakeRule(RuleClass::kExact, 0, ReadPermissions(type, profile));
}

Rule RoundToIntegralRule(PrimitiveType type, Profile profile) {
  if (IsComplex(type)) return ComplexFunctionRule(true, type, profile);
  return ReadingRule(type, profile, kZeroSignFree);
}

Rule PowerRule(Opcode opcode, PrimitiveType type, Profile profile) {
  if (!Inexact(type)) return MakeRule(RuleClass::kExact, 0, 0);
  return FunctionRule(opcode, type, profile);
}

// Returns the rule of a sum, with the class kByComputation.
Rule ReductionRule(PrimitiveType type, Profile profile) {
  Rule rule = SumRule(false, type, profile);
  rule.rule_class = RuleClass::kByComputation;
  return rule;
}

Rule MoveRule(Profile profile) {
  return MakeRule(RuleClass::kExact, 0, AtLeastDefault(profile) ? uint32_t{kQuietNan} : 0u);
}

struct Tolerance {
  double atol = 0, rtol = 0, ulps = 0;
};

// Parses the fields of a tolerance, which the parser of HLO text has already checked.
Tolerance ToleranceOf(absl::string_view fields) {
  Tolerance tolerance;
  for (absl::string_view field : absl::StrSplit(fields, ',')) {
    const std::pair<absl::string_view, absl::string_view> part = absl::StrSplit(field, '=');
    double value = 0;
    if (!absl::SimpleAtod(part.second, &value)) continue;
    if (part.first == "atol") tolerance.atol = value;
    if (part.first == "rtol") tolerance.rtol = value;
    if (part.first == "ulps") tolerance.ulps = value;
  }
  return tolerance;
}

// Returns `numbers` with the permissions of `rule`, except kNoRangeGuard.
Rule WithNumbersOf(const Rule& numbers, const Rule& rule) {
  Rule result = numbers;
  result.permissions = rule.permissions & ~uint32_t{kNoRangeGuard};
  return result;
}

}  // namespace

RangeGuard RangeGuardOf(Opcode opcode) {
  const FunctionRow* row = FunctionOf(opcode);
  if (row == nullptr) return {opcode == Opcode::kSqrt ? 0 : -HUGE_VAL, HUGE_VAL};
  return {row->guard_lo, row->guard_hi};
}

uint32_t ArithmeticPermissions(PrimitiveType type, Profile profile) {
  if (!Inexact(type) || profile == Profile::kStrict) return 0;
  uint32_t permissions = kFlushResult | kFlushOperand | kElideToWider | kContract | kDoubleRounding;
  if (profile == Profile::kRelaxed) permissions |= kSkipRounding;
  return permissions;
}

Rule ConvertRule(PrimitiveType from, PrimitiveType to, Profile profile) {
  uint32_t permissions = ArithmeticPermissions(to, profile) | ReadPermissions(from, profile);
  if (profile == Profile::kRelaxed) permissions |= kConvertTwice;
  if (Inexact(to)) return MakeRule(RuleClass::kCorrectlyRounded, 0, permissions);
  return MakeRule(RuleClass::kExact, 0, permissions);
}

Rule RuleFor(Opcode opcode, PrimitiveType type, Profile profile) {
  const OpRow& row = RowOf(opcode);
  if (!Contains(row.types, type)) return {};
  switch (row.accuracy) {
#define HLOCTS_ACCURACY(accuracy, ...) \
  case AccuracyRule::accuracy:         \
    return __VA_ARGS__;
#include "spec/accuracy/accuracy_rules.def"
#undef HLOCTS_ACCURACY
  }
  return {};
}

absl::string_view RuleClassName(RuleClass rule_class) {
  constexpr absl::string_view kNames[] = {
#define HLOCTS_RULE_CLASS(symbol, name, meaning) name,
#include "spec/accuracy/rule_words.def"
#undef HLOCTS_RULE_CLASS
  };
  return kNames[static_cast<int>(rule_class)];
}

absl::string_view RuleClassMeaning(RuleClass rule_class) {
  constexpr absl::string_view kMeanings[] = {
#define HLOCTS_RULE_CLASS(symbol, name, meaning) meaning,
#include "spec/accuracy/rule_words.def"
#undef HLOCTS_RULE_CLASS
  };
  return kMeanings[static_cast<int>(rule_class)];
}

std::string RuleText(const Rule& rule) {
  if (rule.rule_class != RuleClass::kUlp) return std::string(RuleClassName(rule.rule_class));
  std::string text = absl::StrFormat("ulp(%g", rule.ulps);
  if (rule.ulps_per_argument > 0) absl::StrAppendFormat(&text, "+%g|x|", rule.ulps_per_argument);
  text += ")";
  if (rule.big_exponent != INT16_MAX && rule.big_ulps > rule.ulps)
    absl::StrAppendFormat(&text, ", %g from 2^%d", rule.big_ulps, rule.big_exponent);
  if (rule.absolute > 0) absl::StrAppendFormat(&text, " or %g", rule.absolute);
  if (rule.backward > 0) absl::StrAppendFormat(&text, "+backward(%g)", rule.backward);
  if (rule.relative > 0) absl::StrAppendFormat(&text, "+%g|y|", rule.relative);
  if (rule.added > 0) absl::StrAppendFormat(&text, "+%g", rule.added);
  return text;
}

void HonourResultAccuracy(absl::string_view attribute, PrimitiveType type, Profile profile,
                          const Rule& by_default, Rule& rule) {
  const bool function =
      rule.rule_class == RuleClass::kUlp || rule.rule_class == RuleClass::kCorrectlyRounded;
  if (!function || !IsFloat(type)) return;
  if (attribute == "{mode=highest}") {
    if (profile != Profile::kStrict) rule = WithNumbersOf(by_default, rule);
    return;
  }
  if (!absl::ConsumePrefix(&attribute, "{tolerance={")) return;
  const Tolerance tolerance = ToleranceOf(absl::StripSuffix(attribute, "}}"));
  Rule numbers{.rule_class = RuleClass::kUlp,
               .ulps = static_cast<float>(tolerance.ulps),
               .relative = tolerance.rtol,
               .added = tolerance.atol};
  rule = WithNumbersOf(numbers, rule);
}

}  // namespace hlocts
