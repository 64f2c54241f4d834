// SPDX-License-Identifier: Apache-2.0
// Handles suites/clause_mutants.txt. For every tested clause, the file names a seeded fault that
// one of its cases detects. This shows that the case fails if an engine breaks the clause.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"
#include "suites/case.h"

namespace hlocts::tools {

// Determines what a clause is about from the words of its sentence.

struct ClauseText {
  std::string id, text;
};

// Returns the words of a text in singular. Used to compare what a clause and a fault are about.
std::set<std::string> WordsOf(absl::string_view text);

// Returns true for a sentence that permits something: an engine breaks it by rejecting what it
// permits. For other sentences, a fault that rejects modules proves little, because every case with
// such a module detects it.
bool IsPermission(absl::string_view text);

// The names of arguments in order, by file of clauses. They come from the signatures in the
// documents: "Pad(operand, padding_value, padding_config): the signature."
using Signatures = std::map<std::string, std::vector<std::string>>;
Signatures SignaturesOf(const std::vector<ClauseText>& clauses);

// Returns the number of the argument that the sentence is about ("scale is a vector": 1), or -1.
int64_t ArgumentOf(const ClauseText& clause, const Signatures& signatures);

// A line of the file: the clause, the fault, the case that detects it, a hash of case and fault,
// and "own/all": the number of cases of the clause that detect the fault, and that number including
// other smoke cases. A person writes "clause fault"; `--update` adds the rest.
struct ClauseKill {
  std::string clause, fault, killed_by, hash;
  int own = 0, all = 0;
  // The cases that detect the fault but do not cite the clause. Set only when counts are new.
  std::vector<std::string> others;
};

absl::StatusOr<std::vector<ClauseKill>> ReadClauseKills(const std::string& path);
absl::Status WriteClauseKills(const std::vector<ClauseKill>& kills, const std::string& path);

// The settings of CheckClauseKills, which returns the errors of the list: a clause of `tested`
// without a line, a line of a clause that is not in `tested`, an unknown fault, a case that is
// missing or does not cite the clause, a hash that does not match case and fault, and a case that
// no longer detects its fault. If `changed_only`, only lines with a changed hash run. `count_run`
// receives the number of lines that ran.
struct ClauseKillCheck {
  std::vector<std::string> tested;  // ids of the clauses that cases test, in order
  bool changed_only = false;
  int jobs = 1;
};
std::vector<std::string> CheckClauseKills(const std::vector<ClauseKill>& kills,
                                          const std::vector<suites::Case>& cases,
                                          const ClauseKillCheck& check, int& count_run);

// Completes the list. Correct lines do not change. A fault that a person wrote runs on the clause's
// cases. For a clause without a fault, searches for the best one. `without` receives the clauses
// for which there is none.
std::vector<ClauseKill> CompleteClauseKills(const std::vector<ClauseKill>& kills,
                                            const std::vector<ClauseText>& tested,
                                            const std::vector<suites::Case>& cases, int jobs,
                                            std::vector<std::string>& without);

}  // namespace hlocts::tools
