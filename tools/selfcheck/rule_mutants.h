// SPDX-License-Identifier: Apache-2.0
// Mutants of the rule table: a rule narrowed, widened, a permission dropped or granted, for floats
// and complex numbers. Narrow ones should make legal noise fail, wide ones (of relaxed as well, so
// that profiles stay nested) let a planted fault through, either may break the lint.
#ifndef HLOCTS_TOOLS_SELFCHECK_RULE_MUTANTS_H_
#define HLOCTS_TOOLS_SELFCHECK_RULE_MUTANTS_H_

#include <string>
#include <vector>

#include "tools/selfcheck/mutant.h"
#include "tools/selfcheck/trial.h"

namespace hlocts::tools {

// Seconds for one; a rule mutant that needs more is not finished, which is no notice.
constexpr double kRuleSeconds = 300;

// "tanh: ulps halved", in the group "rule". `changed` of one that is not noticed: on how many of
// the trials it changes an acceptance set at all. 0: nothing reads that part of the rule, or
// nothing that is tried depends on it. `killed`: faults that the trials find with the table as it
// is. Both outlive the mutants.
std::vector<Mutant> RuleMutants(std::vector<Trial>& trials, const std::vector<std::string>& killed);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_RULE_MUTANTS_H_
