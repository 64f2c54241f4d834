// SPDX-License-Identifier: Apache-2.0
// hlocts clauses: every normative sentence of the documents and the cases that test it.
#include <cstdio>
#include <iostream>
#include <map>

#include "nlohmann/json.hpp"
#include "spec/clauses/registry.h"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/commands.h"
#include "tools/selfcheck/clause_rows.h"

namespace hlocts::tools {
namespace {

// One address per case name: a case with fifty parameters is one line of evidence.
std::map<std::string, std::vector<std::string>> CasesByClause(
    const std::vector<suites::Case>& cases) {
  std::map<std::string, std::vector<std::string>> result;
  for (const suites::Case& one : cases) {
    std::string name = one.address.substr(0, one.address.find(':', one.address.find(':') + 1));
    for (const std::string& clause : one.clauses) {
      std::vector<std::string>& names = result[clause];
      if (names.empty() || names.back() != name) names.push_back(name);
    }
  }
  return result;
}

int RunClauses(bool json) {
  auto registry = ClauseRegistry::Load(suites::HomeFolder() + "/spec/clauses");
  if (!registry.ok()) return Fail(registry.status());
  auto cases = suites::SelectCases({}, suites::Tier::kExhaustive);
  if (!cases.ok()) return Fail(cases.status());
  auto by_clause = CasesByClause(*cases);
  for (const auto& [clause, programs] : ProgramsOfClauses()) {
    by_clause[clause].insert(by_clause[clause].end(), programs.begin(), programs.end());
  }
  std::map<std::string, int> states;
  for (const Clause& clause : registry->clauses()) {
    const std::vector<std::string>& tested_by = by_clause[clause.id];
    std::string state(ClauseStateName(clause.state));
    // A testable clause is tested once a case cites it; until then it is open.
    if (clause.state == ClauseState::kTested && tested_by.empty()) state = "open";
    ++states[state];
    if (json) {
      nlohmann::ordered_json line = {
          {"id", clause.id},     {"source", clause.source}, {"address", clause.address},
          {"text", clause.text}, {"state", state},          {"cases", tested_by}};
      std::cout << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    } else {
      std::printf("%-28s %-11s %s\n", clause.id.c_str(), state.c_str(), clause.text.c_str());
      for (const std::string& name : tested_by) std::printf("%30s%s\n", "", name.c_str());
    }
  }
  if (!json) {
    for (const auto& [state, count] : states) std::printf("%s: %d\n", state.c_str(), count);
  }
  return kExitOk;
}

}  // namespace

Command ClausesCommand() {
  return {"clauses", "list the documents' clauses and the cases that test each", [](Flags& flags) {
            auto json = std::make_shared<bool>(false);
            flags.Add("--json", json.get(), "print JSON lines");
            return [json] { return RunClauses(*json); };
          }};
}

}  // namespace hlocts::tools
