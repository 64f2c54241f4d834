// SPDX-License-Identifier: Apache-2.0
// Mutants of the rule table: a rule narrowed or widened, a permission dropped or granted, for
// floats and complex numbers. A narrow one should make legal noise fail; a wide one (of relaxed as
// well, so that profiles stay nested) should let a seeded fault through; either may break the lint.
#ifndef HLOCTS_TOOLS_SELFCHECK_RULE_MUTANTS_H_
#define HLOCTS_TOOLS_SELFCHECK_RULE_MUTANTS_H_

#include <string>
#include <vector>

#include "tools/selfcheck/mutant.h"
#include "tools/selfcheck/trial.h"

namespace hlocts::tools {

// Seconds for one mutant; one that needs more is unfinished and counts as not noticed.
constexpr double kRuleSeconds = 300;

// Names: "tanh: ulps halved", in the group "rule". `changed` of a mutant that is not noticed: the
// number of trials on which it changes an acceptance set. 0: no code reads that part of the rule,
// or no trial depends on it. `killed`: faults that the trials find with the unchanged table. Both
// outlive the mutants.
std::vector<Mutant> RuleMutants(std::vector<Trial>& trials, const std::vector<std::string>& killed);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_RULE_MUTANTS_H_
