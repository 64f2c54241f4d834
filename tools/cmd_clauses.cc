// SPDX-License-Identifier: Apache-2.0
// hlocts clauses: every normative sentence of the documents and the cases that test it.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/base/nearest.h"
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

struct ClausesOptions {
  std::vector<std::string> ids;
  bool json = false;
};

// All of them, in any order.
bool HasWords(const std::string& said, const std::string& words) {
  for (absl::string_view word : absl::StrSplit(words, ' ', absl::SkipEmpty())) {
    if (!absl::StrContains(said, word)) return false;
  }
  return true;
}

// `pad.12`, `pad` for all of its file, or several words of its sentence or of its ruling's name.
bool IsAsked(const ClausesOptions& options, const Clause& clause, const ClauseRegistry& registry) {
  if (options.ids.empty()) return true;
  const Ruling* ruling = registry.FindRuling(clause.ruling);
  const std::string said = absl::AsciiStrToLower(absl::StrCat(
      clause.text, "\n", absl::StrReplaceAll(ruling == nullptr ? "" : ruling->file, {{"-", " "}})));
  for (const std::string& id : options.ids) {
    if (id == clause.id || id == clause.operation) return true;
    if (absl::StrContains(id, ' ') && HasWords(said, absl::AsciiStrToLower(id))) return true;
  }
  return false;
}

absl::Status CheckIds(const ClausesOptions& options, const ClauseRegistry& registry) {
  std::vector<std::string> names;
  for (const Clause& clause : registry.clauses()) {
    if (names.empty() || names.back() != clause.operation) names.push_back(clause.operation);
  }
  for (const std::string& id : options.ids) {
    if (registry.Find(id) != nullptr) continue;
    if (std::find(names.begin(), names.end(), id) != names.end()) continue;
    if (absl::StrContains(id, ' ')) continue;  // words to look for
    return InvalidInput("clauses: no clause and no file of clauses \"", id, "\"",
                        DidYouMean(id.substr(0, id.find('.')), names));
  }
  return absl::OkStatus();
}

void PrintClause(const Clause& clause, const std::string& state,
                 const std::vector<std::string>& tested_by, const ClauseRegistry& registry,
                 bool whole) {
  std::printf("%-28s %-11s %s\n", clause.id.c_str(), state.c_str(), clause.text.c_str());
  if (whole) {
    std::printf("%30s%s  %s\n", "", clause.source.c_str(), clause.address.c_str());
    if (const Ruling* ruling = registry.FindRuling(clause.ruling))
      std::printf("%30sruling: spec/rulings/%s\n", "",
                  std::filesystem::path(ruling->file).filename().c_str());
    if (!clause.reason.empty()) std::printf("%30s%s\n", "", clause.reason.c_str());
  }
  for (const std::string& name : tested_by) std::printf("%30s%s\n", "", name.c_str());
}

int RunClauses(const ClausesOptions& options) {
  const bool json = options.json;
  auto registry = ClauseRegistry::Load(suites::HomeFolder() + "/spec/clauses");
  if (!registry.ok()) return Fail(registry.status());
  if (absl::Status known = CheckIds(options, *registry); !known.ok()) return Fail(known);
  auto cases = suites::SelectCases({}, suites::Tier::kExhaustive);
  if (!cases.ok()) return Fail(cases.status());
  auto by_clause = CasesByClause(*cases);
  for (const auto& [clause, programs] : ProgramsOfClauses()) {
    by_clause[clause].insert(by_clause[clause].end(), programs.begin(), programs.end());
  }
  std::map<std::string, int> states;
  for (const Clause& clause : registry->clauses()) {
    if (!IsAsked(options, clause, *registry)) continue;
    const std::vector<std::string>& tested_by = by_clause[clause.id];
    std::string state(ClauseStateName(clause.state));
    // A testable clause is tested once a case cites it; until then it is open.
    if (clause.state == ClauseState::kTested && tested_by.empty()) state = "open";
    ++states[state];
    if (json) {
      nlohmann::ordered_json line = {
          {"id", clause.id},     {"source", clause.source}, {"address", clause.address},
          {"text", clause.text}, {"state", state},          {"cases", tested_by}};
      std::cout << JsonText(line) << "\n";
    } else {
      PrintClause(clause, state, tested_by, *registry, !options.ids.empty());
    }
  }
  if (states.empty()) return Fail(InvalidInput("clauses: no clause has all of these words"));
  if (!json) {
    for (const auto& [state, count] : states) std::printf("%s: %d\n", state.c_str(), count);
  }
  return kExitOk;
}

}  // namespace

Command ClausesCommand() {
  return {
      "clauses", "list the documents' clauses and the cases that test each", [](Flags& flags) {
        auto options = std::make_shared<ClausesOptions>();
        flags.Positional(
            "ID", &options->ids,
            "clauses (pad.12), files of them (pad), or several words to look for ('signed zero')");
        flags.Add("--json", &options->json, "print JSON lines");
        return [options] { return RunClauses(*options); };
      }};
}

}  // namespace hlocts::tools
