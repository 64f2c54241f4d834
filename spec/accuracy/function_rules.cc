// SPDX-License-Identifier: Apache-2.0
#include "spec/accuracy/function_rules.h"

#include <cmath>

#include "spec/ir/float_format.h"
#include "spec/ir/opcode.h"

namespace hlocts {
namespace {

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

// Returns the error of an 8-bit result that is computed through a 16-bit format: the error in that
// format, plus half an ulp for the last rounding, or a whole ulp if the first error may reach into
// the next binade (lemma 17). The 16-bit format is f16 in the default profile and bf16 in the
// relaxed profile.
float UlpsOfNarrow(const FunctionRow& row, PrimitiveType type, bool relaxed) {
  const PrimitiveType via = relaxed ? PrimitiveType::kBF16 : PrimitiveType::kF16;
  const float ulps = relaxed ? row.half_relaxed : row.f16;
  const float before = std::ldexp(ulps, FormatOf(type).precision() - FormatOf(via).precision());
  return before + (before > 1 ? 1.0f : 0.5f);
}

// Converts ulps of f32 to ulps of the 16-bit format to which the value is rounded.
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
  // Computed as (e^x - e^-x)/2, the result overflows where e^x does (lemma 40).
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

// Ulps of the modulus for two real functions in sequence in the relaxed profile. Each function has
// an error of 2^13 ulps, which may be twice as many ulps of the modulus.
constexpr float kUlpsOfTwoFunctions = 0x1p15f;

// Returns the ulps of the modulus of a quotient that is computed from real operations (lemma 24).
// The strict profile leaves slack for a reciprocal.
float QuotientUlps(PrimitiveType type, Profile profile) {
  if (profile == Profile::kStrict) return 8;
  const float real = DivideRule(ComponentType(type), profile).ulps;
  constexpr float kQuotients = 3.5f, kSteps = 4;  // a relaxed step has twice the error
  return kQuotients * real + kSteps * (profile == Profile::kRelaxed ? 2.0f : 1.0f);
}

}  // namespace

// Returns the rule of a complex function: ulps of the modulus, and ulps of the argument
// (`backward`).
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
    // f32: a TPU's reciprocal (JAX measures 198 ulps). f4e2m1fn: the maximum of lemma 17, 2^(p-1).
    const float ulps = f32 ? 256 : type == PrimitiveType::kF4E2M1FN ? 2 : 4;
    return MakeRule(RuleClass::kUlp, ulps, permissions);
  }
  return MakeRule(RuleClass::kUlp, f32 ? 2.5f : 1.5f, permissions);
}

RangeGuard RangeGuardOf(Opcode opcode) {
  const FunctionRow* row = FunctionOf(opcode);
  if (row == nullptr) return {opcode == Opcode::kSqrt ? 0 : -HUGE_VAL, HUGE_VAL};
  return {row->guard_lo, row->guard_hi};
}

}  // namespace hlocts
