// SPDX-License-Identifier: Apache-2.0
// Applies an engine's facts to the rules of the table (lemma 40). A granting fact adds a permission
// in the default profile and none in the strict profile. The relaxed profile has the permission
// already, but the fact may raise a bound.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "spec/accuracy/rules.h"
#include "spec/ir/opcode.h"

namespace hlocts {
namespace {

// Returns the permissions that the facts grant to an engine in the default profile.
uint32_t GrantedPermissions(const OpRow& row, PrimitiveType type, const TargetFacts& facts) {
  if (!IsFloat(type) && !IsComplex(type)) return 0;
  uint32_t permissions = 0;
  const int width = BitWidth(ComponentType(type));
  if ((facts.excess_16bit && width <= 16) || (facts.excess_32bit && width == 32)) {
    permissions |= kSkipRounding;
  }
  switch (row.accuracy) {
    case AccuracyRule::kMinMax:
    case AccuracyRule::kReduction:
    case AccuracyRule::kScatter:
    case AccuracyRule::kSelectAndScatter:
    case AccuracyRule::kCollectiveReduction:
      if (facts.nan_dropped) permissions |= kDropNan;
      break;
    case AccuracyRule::kCompare:
    case AccuracyRule::kOrdering:
      if (facts.compare_flush && IsFloat(type)) permissions |= kFlushOperand;
      break;
    case AccuracyRule::kRemainder:
      if (facts.remainder_quotient) permissions |= kLongQuotient;
      break;
    default:
      break;
  }
  return permissions;
}

// Returns false for operations whose arithmetic no fact affects: moves, random numbers, unknown
// operations, and calls of computations.
bool RoundsOrReads(const OpRow& row, const Rule& rule) {
  switch (rule.rule_class) {
    case RuleClass::kNone:
    case RuleClass::kDistribution:
    case RuleClass::kUnknown:
    case RuleClass::kNeighbours:
      return false;
    default:
      return row.accuracy != AccuracyRule::kExact && row.accuracy != AccuracyRule::kCalled;
  }
}

void SetUlps(float ulps, bool relaxed, Rule& rule) {
  if (rule.rule_class == RuleClass::kCorrectlyRounded) {
    if (ulps <= 0.5f) return;
    rule.rule_class = RuleClass::kUlp;
    rule.permissions |= kMaxOrInfinity;
  }
  rule.ulps = relaxed ? std::max(rule.ulps, ulps) : ulps;
  if (!relaxed) rule.ulps_per_argument = 0;
  if (rule.big_exponent == INT16_MAX) return;
  rule.big_ulps = std::max(rule.ulps, relaxed ? rule.big_ulps : 0);
}

void ApplyRowFact(const RowFact& fact, Profile profile, Rule& rule) {
  const bool relaxed = profile == Profile::kRelaxed;
  const float value = static_cast<float>(fact.value);
  switch (fact.field) {
    case RowFact::Field::kUlps:
      SetUlps(value, relaxed, rule);
      break;
    case RowFact::Field::kAbsolute:
      rule.absolute = std::max(rule.absolute, value);
      break;
    case RowFact::Field::kBackward:
      rule.backward = relaxed ? std::max(rule.backward, value) : value;
      break;
    case RowFact::Field::kOverflow:
      rule.overflow_exponent =
          std::min(rule.overflow_exponent, static_cast<int16_t>(std::min(fact.value, 20000.0)));
      break;
  }
}

// Checks that the rule table is complete and that the profiles are nested.

// Returns the rank of a class: a class of higher rank permits more.
int Reach(RuleClass rule_class) {
  switch (rule_class) {
    case RuleClass::kExact:
      return 0;
    case RuleClass::kCorrectlyRounded:
      return 1;
    case RuleClass::kUlp:
      return 2;
    default:
      return 3;
  }
}

bool Nested(const Rule& inner, const Rule& outer) {
  if ((inner.permissions & ~outer.permissions) != 0) return false;
  if (Reach(inner.rule_class) > Reach(outer.rule_class)) return false;
  if (inner.rule_class != outer.rule_class) return Reach(outer.rule_class) <= 2;
  float inner_big = inner.big_exponent == INT16_MAX ? inner.ulps : inner.big_ulps;
  float outer_big = outer.big_exponent == INT16_MAX ? outer.ulps : outer.big_ulps;
  if (outer.overflow_exponent > inner.overflow_exponent) return false;
  return inner.ulps <= outer.ulps && inner.backward <= outer.backward && inner_big <= outer_big &&
         inner.ulps_per_argument <= outer.ulps_per_argument && inner.absolute <= outer.absolute;
}

void LintRow(Opcode opcode, PrimitiveType type, const RuleChange& change,
             std::vector<std::string>& problems) {
  auto rule_of = [&](Profile profile) {
    const Rule rule = RuleFor(opcode, type, profile);
    return change ? change(opcode, type, profile, rule) : rule;
  };
  const Rule strict = rule_of(Profile::kStrict), normal = rule_of(Profile::kDefault),
             relaxed = rule_of(Profile::kRelaxed);
  std::string where = absl::StrCat(OpcodeName(opcode), " on ", PrimitiveTypeName(type), ": ");
  for (const Rule* rule : {&strict, &normal, &relaxed}) {
    if (rule->rule_class == RuleClass::kNone) problems.push_back(where + "no rule");
  }
  if (!Nested(strict, normal)) problems.push_back(where + "strict is not within default");
  if (!Nested(normal, relaxed)) problems.push_back(where + "default is not within relaxed");
}

}  // namespace

Rule WithFacts(Rule rule, Opcode opcode, PrimitiveType type, Profile profile,
               const TargetFacts& facts) {
  if (profile == Profile::kStrict) return rule;
  const OpRow& row = RowOf(opcode);
  if (RoundsOrReads(row, rule)) rule.permissions |= GrantedPermissions(row, type, facts);
  for (const RowFact& fact : facts.rows) {
    if (fact.opcode == opcode && fact.type == type) ApplyRowFact(fact, profile, rule);
  }
  return rule;
}

Rule RuleFor(Opcode opcode, PrimitiveType type, Profile profile, const TargetFacts& facts) {
  return WithFacts(RuleFor(opcode, type, profile), opcode, type, profile, facts);
}

Rule ConvertWithFacts(Rule rule, PrimitiveType from, Profile profile, const TargetFacts& facts) {
  if (profile == Profile::kStrict) return rule;
  rule.permissions |= GrantedPermissions(RowOf(Opcode::kConvert), from, facts);
  if (facts.convert_s64_twice) rule.permissions |= kConvertTwice;
  return rule;
}

std::vector<std::string> LintRules(const RuleChange& change) {
  std::vector<std::string> problems;
  for (Opcode opcode : AllOpcodes()) {
    for (PrimitiveType type : AllPrimitiveTypes()) {
      if (Contains(RowOf(opcode).types, type)) LintRow(opcode, type, change, problems);
    }
  }
  return problems;
}

}  // namespace hlocts
