// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/clause_rows.h"

#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "spec/clauses/registry.h"
#include "suites/suite_files.h"
#include "tools/selfcheck/clause_kills.h"

namespace hlocts::tools {
namespace {

reports::ClauseRow RowOf(const Clause& clause, const Documents& documents) {
  reports::ClauseRow row{.id = clause.id,
                         .document = SourceOf({documents.Find(clause.places[0].document)}),
                         .section = clause.section,
                         .source = clause.source,
                         .address = clause.address,
                         .text = clause.text,
                         .state = std::string(ClauseStateName(clause.state)),
                         .note = clause.reason};
  if (!clause.ruling.empty()) {
    absl::StrAppend(&row.note, row.note.empty() ? "" : "; ", "ruling ", clause.ruling);
  }
  return row;
}

}  // namespace

std::map<std::string, std::vector<std::string>> ProgramsOfClauses() {
  std::map<std::string, std::vector<std::string>> programs;
  std::ifstream in(suites::HomeFolder() + "/suites/clause_tests.txt");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string clause, file, test;
    if (absl::StartsWith(line, "#") || !(words >> clause >> file >> test)) continue;
    programs[clause].push_back(file + ":" + test);
  }
  return programs;
}

absl::StatusOr<std::vector<reports::ClauseRow>> LoadClauseRows() {
  HLOCTS_ASSIGN_OR_RETURN(ClauseRegistry registry,
                          ClauseRegistry::Load(suites::HomeFolder() + "/spec/clauses"));
  HLOCTS_ASSIGN_OR_RETURN(std::vector<ClauseKill> kills,
                          ReadClauseKills(suites::HomeFolder() + "/suites/clause_mutants.txt"));
  std::map<std::string, const ClauseKill*> kill_of;
  for (const ClauseKill& kill : kills) kill_of[kill.clause] = &kill;
  auto programs = ProgramsOfClauses();
  std::vector<reports::ClauseRow> rows;
  for (const Clause& clause : registry.clauses()) {
    rows.push_back(RowOf(clause, registry.documents()));
    rows.back().programs = programs[clause.id];
    if (auto kill = kill_of.find(clause.id); kill != kill_of.end()) {
      rows.back().fault = kill->second->fault;
    }
  }
  return rows;
}

}  // namespace hlocts::tools
