// SPDX-License-Identifier: Apache-2.0
// suites/clause_mutants.txt: for every tested clause a seeded fault that one of the clause's own
// cases notices, as evidence that "this case would fail if the clause were broken".
#ifndef HLOCTS_TOOLS_SELFCHECK_CLAUSE_KILLS_H_
#define HLOCTS_TOOLS_SELFCHECK_CLAUSE_KILLS_H_

#include <string>
#include <vector>

#include "spec/base/status.h"
#include "suites/case.h"
#include "tools/selfcheck/sentence.h"

namespace hlocts::tools {

// A line: clause, fault, the case that notices it, a hash of case and fault, and by how many cases
// of all (those of the smoke tier and the clause's own) the fault is noticed: "own/all". A person
// writes "clause fault"; `--update` fills in the rest.
struct ClauseKill {
  std::string clause, fault, killed_by, hash;
  int own = 0, all = 0;
  // Cases that notice it without citing the clause; filled in with new counts only.
  std::vector<std::string> others;
};

absl::StatusOr<std::vector<ClauseKill>> ReadClauseKills(const std::string& path);
absl::Status WriteClauseKills(const std::vector<ClauseKill>& kills, const std::string& path);

// The errors in the list, one a line: a clause of `tested` without a line, a line of no such
// clause, an unknown fault, a case that is missing or does not cite the clause, a hash that is not
// that of the case and fault, and a case that no longer notices its fault. `changed_only` runs only
// lines whose hash has changed; `count_run` is the number of lines that were run.
struct ClauseKillCheck {
  std::vector<std::string> tested;  // ids of the clauses that cases test, in order
  bool changed_only = false;
  int jobs = 1;
};
std::vector<std::string> CheckClauseKills(const std::vector<ClauseKill>& kills,
                                          const std::vector<suites::Case>& cases,
                                          const ClauseKillCheck& check, int& count_run);

// Completes the list: correct lines stay; a fault that a person wrote is tried on the clause's
// cases; for a clause without a fault the best one is searched. `without` names clauses for which
// no fault was found.
std::vector<ClauseKill> CompleteClauseKills(const std::vector<ClauseKill>& kills,
                                            const std::vector<ClauseText>& tested,
                                            const std::vector<suites::Case>& cases, int jobs,
                                            std::vector<std::string>& without);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_CLAUSE_KILLS_H_
