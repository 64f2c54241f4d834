// SPDX-License-Identifier: Apache-2.0
// The rules of functions, published or derived (lemmas 16, 17, 24). Internal to rules.cc.
#pragma once

#include "spec/accuracy/rules.h"

namespace hlocts {

inline bool Narrow(PrimitiveType type) { return IsFloat(type) && BitWidth(type) <= 8; }
inline bool SixteenBits(PrimitiveType type) { return IsFloat(type) && BitWidth(type) == 16; }
inline bool Inexact(PrimitiveType type) { return IsFloat(type) || IsComplex(type); }
inline bool AtLeastDefault(Profile profile) { return profile != Profile::kStrict; }

inline Rule MakeRule(RuleClass rule_class, float ulps, uint32_t permissions) {
  Rule rule;
  rule.rule_class = rule_class;
  rule.ulps = ulps;
  rule.permissions = permissions;
  return rule;
}

// Returns the rule of a real or complex function, or kNone if the opcode is not in the table.
Rule FunctionRule(Opcode opcode, PrimitiveType type, Profile profile);
// With `algebraic`, returns the rule of quotients and moduli, whose operand is exact.
Rule ComplexFunctionRule(bool algebraic, PrimitiveType type, Profile profile);
Rule DivideRule(PrimitiveType type, Profile profile);

}  // namespace hlocts
