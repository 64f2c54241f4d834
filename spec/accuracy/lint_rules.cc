// SPDX-License-Identifier: Apache-2.0
// Checks that the rule table is complete and that the profiles are nested.
#include "absl/strings/str_cat.h"
#include "spec/accuracy/rules.h"

namespace hlocts {
namespace {

// Ranks the classes by width, to compare the rules of two profiles that differ in class.
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
