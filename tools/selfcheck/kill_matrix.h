// SPDX-License-Identifier: Apache-2.0
// The matrix of faults and the trials that notice them.
#ifndef HLOCTS_TOOLS_SELFCHECK_KILL_MATRIX_H_
#define HLOCTS_TOOLS_SELFCHECK_KILL_MATRIX_H_

#include <functional>
#include <string>
#include <vector>

#include "suites/case.h"
#include "tools/selfcheck/trial.h"

namespace hlocts::tools {

// For each fault the numbers of the trials that notice it, among those whose case tests what the
// fault affects. Runs in child processes; a fault that crashes one counts as not noticed.
std::vector<std::vector<size_t>> KillMatrix(const std::vector<std::string>& faults,
                                            const std::vector<Trial>& trials, int jobs,
                                            const std::function<void(size_t)>& done);

// Returns true if each case notices its fault. A crash or hang of the faulty engine counts as
// noticed.
std::vector<bool> PairsKilled(const std::vector<std::pair<const suites::Case*, std::string>>& pairs,
                              int jobs);

// Ids of all faults that are relevant to these cases: those of the tables, the rows of families for
// the opcodes that the cases are about, the rules that @reject names.
std::vector<std::string> FaultsAround(const std::vector<const suites::Case*>& cases);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_KILL_MATRIX_H_
