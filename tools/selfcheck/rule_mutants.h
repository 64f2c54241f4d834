// SPDX-License-Identifier: Apache-2.0
// Mutants of the rule table: a rule is narrowed or widened, or a permission is dropped or granted,
// for floats and complex numbers. A narrowed rule should make legal noise fail. A widened rule
// (also in `relaxed`, so that profiles stay nested) should let a seeded fault pass. The lint may
// also report either mutant.
#pragma once

#include <string>
#include <vector>

#include "tools/selfcheck/mutant.h"
#include "tools/selfcheck/trial.h"

namespace hlocts::tools {

// The time limit in seconds for one mutant. A mutant that needs more is unfinished and counts as
// not detected.
constexpr double kRuleSeconds = 300;

// The mutants, named like "tanh: ulps halved", in the group "rule". For an undetected mutant,
// `changed` is the number of trials on which it changes an acceptance set; 0 means that no code
// reads that part of the rule, or that no trial depends on it. `killed` has the faults that the
// trials find with the unchanged table. `trials` and `killed` must outlive the mutants.
std::vector<Mutant> RuleMutants(std::vector<Trial>& trials, const std::vector<std::string>& killed);

}  // namespace hlocts::tools
