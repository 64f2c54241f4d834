// SPDX-License-Identifier: Apache-2.0
// Mutants of the rule table: would anybody notice a rule that is too wide or too narrow? Only the
// self-check sets one.
#ifndef HLOCTS_SPEC_ACCURACY_RULE_MUTATION_H_
#define HLOCTS_SPEC_ACCURACY_RULE_MUTATION_H_

#include <functional>

#include "spec/accuracy/rules.h"

namespace hlocts {

using RuleMutation = std::function<Rule(Opcode, PrimitiveType, Profile, const Rule&)>;

// From now on RuleFor and ConvertRule give what `mutation` makes of a rule; an empty one ends that.
// Before threads are started, or after they have ended.
void SetRuleMutation(RuleMutation mutation);

// The table as it stands, whatever mutation is set.
Rule TableRuleFor(Opcode opcode, PrimitiveType type, Profile profile);
Rule TableConvertRule(PrimitiveType from, PrimitiveType to, Profile profile);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_ACCURACY_RULE_MUTATION_H_
