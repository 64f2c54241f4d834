// SPDX-License-Identifier: Apache-2.0
// The matrix of faults and of the trials that detect them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "suites/case.h"
#include "tools/selfcheck/trial.h"

namespace hlocts::tools {

// Returns for each fault the numbers of the trials that detect it. Runs only trials whose case
// tests an operation that the fault affects. Faults run in child processes; if a process crashes or
// hangs on a fault, the fault has no trials.
std::vector<std::vector<size_t>> KillMatrix(const std::vector<std::string>& faults,
                                            const std::vector<Trial>& trials, int jobs,
                                            const std::function<void(size_t)>& done);

// Returns for each pair of a case and a fault whether the case detects the fault. A crash or hang
// of the faulty engine is a detection.
std::vector<bool> PairsKilled(const std::vector<std::pair<const suites::Case*, std::string>>& pairs,
                              int jobs);

// Returns the ids of all faults that are relevant to these cases: faults of the tables, faults of
// families for the opcodes that the cases test, and the rules that @reject names.
std::vector<std::string> FaultsAround(const std::vector<const suites::Case*>& cases);

}  // namespace hlocts::tools
