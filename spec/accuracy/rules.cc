// SPDX-License-Identifier: Apache-2.0
#include "spec/accuracy/rules.h"

#include "absl/strings/str_format.h"
#include "spec/accuracy/function_rules.h"
#include "spec/ir/opcode.h"

namespace hlocts {
namespace {

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

// Returns an exact rule that has one more permission in the relaxed profile.
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

// The rule of a reduction depends on the called computation; these are the numbers of a sum.
Rule ReductionRule(PrimitiveType type, Profile profile) {
  Rule rule = SumRule(false, type, profile);
  rule.rule_class = RuleClass::kByComputation;
  return rule;
}

Rule MoveRule(Profile profile) {
  return MakeRule(RuleClass::kExact, 0, AtLeastDefault(profile) ? uint32_t{kQuietNan} : 0u);
}

}  // namespace

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
      "none",         "exact",     "correctly-rounded", "ulp",      "sum",
      "product",      "reduction", "normwise",          "residual", "permutation",
      "distribution", "inherited", "neighbours",        "unknown"};
  return kNames[static_cast<int>(rule_class)];
}

std::string RuleText(const Rule& rule) {
  if (rule.rule_class != RuleClass::kUlp) return std::string(RuleClassName(rule.rule_class));
  std::string text = absl::StrFormat("ulp(%g", rule.ulps);
  if (rule.ulps_per_argument > 0) absl::StrAppendFormat(&text, "+%g|x|", rule.ulps_per_argument);
  text += ")";
  if (rule.backward > 0) absl::StrAppendFormat(&text, "+backward(%g)", rule.backward);
  return text;
}

}  // namespace hlocts
