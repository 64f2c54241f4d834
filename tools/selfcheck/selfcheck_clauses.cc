// SPDX-License-Identifier: Apache-2.0
// The part `clauses` of hlocts selfcheck, which checks if a case would fail if a clause were
// broken.
#include "tools/selfcheck/selfcheck_clauses.h"

#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "spec/clauses/registry.h"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/selfcheck/clause_kills.h"
#include "tools/selfcheck/clause_rows.h"

namespace hlocts::tools {
namespace {

// The clauses that cases test. Those that programs test are covered by the unit tests.
absl::StatusOr<std::vector<ClauseText>> ClausesOfCases() {
  HLOCTS_ASSIGN_OR_RETURN(ClauseRegistry registry,
                          ClauseRegistry::Load(suites::HomeFolder() + "/spec/clauses"));
  const auto of_programs = ProgramsOfClauses();
  std::vector<ClauseText> clauses;
  for (const Clause& clause : registry.clauses()) {
    if (clause.state != ClauseState::kTested || of_programs.count(clause.id)) continue;
    clauses.push_back({clause.id, clause.text});
  }
  return clauses;
}

// Returns true for a fault of a family that changes values independently of the sentence, even if
// only in one element. It is weaker evidence than a specific bug.
bool IsGeneric(const std::string& fault) {
  return absl::StrContains(fault, "/result-") || absl::StrContains(fault, "/operand-");
}

void PrintSpecificity(const std::vector<ClauseKill>& kills) {
  int alone = 0, mostly = 0, generic = 0;
  for (const ClauseKill& kill : kills) {
    alone += kill.own == kill.all;
    generic += kill.own == kill.all && IsGeneric(kill.fault);
    mostly += 2 * kill.own >= kill.all;
  }
  std::cout << absl::StrFormat(
      "%d clauses with a fault: %d detected only by cases of the clause (%d of these: some value "
      "is wrong), %d by these at least as often as by all others\n",
      kills.size(), alone, generic, mostly);
}

// Prints cases that would fail if the clause were broken but do not cite it. Either they should
// cite it, or the fault breaks more than the clause.
void PrintOthers(const std::vector<ClauseKill>& kills) {
  for (const ClauseKill& kill : kills) {
    if (kill.others.empty()) continue;
    std::cout << kill.clause << ": " << kill.fault << " is detected by others:";
    for (const std::string& name : kill.others) std::cout << " " << name;
    std::cout << "\n";
  }
}

int Update(std::vector<ClauseKill> kills, const std::vector<ClauseText>& clauses,
           const std::vector<suites::Case>& cases, int jobs, const std::string& path) {
  std::vector<std::string> without;
  kills = CompleteClauseKills(kills, clauses, cases, jobs, without);
  absl::Status written = WriteClauseKills(kills, path);
  if (!written.ok()) return Fail(written);
  for (const std::string& clause : without) std::cout << clause << ": no fault found\n";
  PrintOthers(kills);
  PrintSpecificity(kills);
  return without.empty() ? kExitOk : kExitFailed;
}

}  // namespace

int RunSelfcheckClauses(const SelfcheckClausesOptions& options) {
  auto clauses = ClausesOfCases();
  if (!clauses.ok()) return Fail(clauses.status());
  auto cases = suites::SelectCases({}, suites::Tier::kExhaustive);
  if (!cases.ok()) return Fail(cases.status());
  const std::string path = suites::HomeFolder() + "/suites/clause_mutants.txt";
  auto kills = ReadClauseKills(path);
  if (!kills.ok()) return Fail(kills.status());
  if (options.update) return Update(*kills, *clauses, *cases, options.jobs, path);
  ClauseKillCheck check;
  for (const ClauseText& clause : *clauses) check.tested.push_back(clause.id);
  check.changed_only = options.changed_only;
  check.jobs = options.jobs;
  int run = 0;
  std::vector<std::string> errors = CheckClauseKills(*kills, *cases, check, run);
  for (const std::string& error : errors) std::cout << error << "\n";
  std::cout << run << " pairs of fault and case run, " << errors.size() << " errors\n";
  PrintSpecificity(*kills);
  return errors.empty() ? kExitOk : kExitFailed;
}

}  // namespace hlocts::tools
