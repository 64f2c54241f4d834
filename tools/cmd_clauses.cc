// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts clauses`: lists every normative sentence of the documents and the cases
// that test it.
#include <cstdio>
#include <iostream>
#include <map>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/base/nearest.h"
#include "spec/clauses/registry.h"
#include "spec/files/file_io.h"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/cli/story.h"
#include "tools/commands.h"
#include "tools/selfcheck/clause_rows.h"

namespace hlocts::tools {
namespace {

// Returns the names of the cases that test each clause. Cases that differ only in parameters have
// the same name and are listed once.
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
  std::vector<std::string> ids, words;
  std::string edition;
  bool sections = false;
  bool json = false;
};

// Returns the document with the key `edition`; null for "" (the newest edition of every clause).
absl::StatusOr<const Document*> EditionOf(const std::string& edition, const Documents& documents) {
  if (edition.empty()) return nullptr;
  std::vector<std::string> keys;
  for (const Document& document : documents.all()) {
    if (document.key == edition) return &document;
    if (!document.key.empty()) keys.push_back(document.key);
  }
  return InvalidInput("clauses: --edition: expected one of ", absl::StrJoin(keys, ", "),
                      ", found \"", edition, "\"");
}

// Prints, for each section, how many clauses the newest edition keeps, rewords, adds and removes.
void PrintSections(const ClauseRegistry& registry, bool json) {
  std::map<std::string, std::map<ClauseChange, int>> counts;
  for (const Clause& clause : registry.clauses())
    if (clause.change) ++counts[clause.change_anchor][*clause.change];
  constexpr ClauseChange kAll[] = {ClauseChange::kKept, ClauseChange::kReworded, ClauseChange::kNew,
                                   ClauseChange::kGone};
  if (!json) std::printf("%-56s %6s %9s %5s %5s\n", "section", "kept", "reworded", "new", "gone");
  for (const Document& document : registry.documents().all()) {
    if (document.table.empty()) continue;
    std::vector<std::string> sections = document.sections;
    sections.insert(sections.begin(), document.title);
    for (const std::string& section : sections) {
      std::map<ClauseChange, int>& of = counts[AnchorOf(section)];
      if (!json) {
        std::printf("%-56s %6d %9d %5d %5d\n", section.c_str(), of[kAll[0]], of[kAll[1]],
                    of[kAll[2]], of[kAll[3]]);
        continue;
      }
      nlohmann::ordered_json line = {{"edition", document.key}, {"section", section}};
      for (ClauseChange change : kAll) line[std::string(ClauseChangeName(change))] = of[change];
      std::cout << JsonText(line) << "\n";
    }
  }
}

// Prints the pages of the rulings whose numbers are arguments. Returns true if there are any.
absl::StatusOr<bool> PrintRulings(const ClauseRegistry& registry, const ClausesOptions& options) {
  bool any = false;
  for (const std::string& id : options.ids) {
    const Ruling* ruling = registry.FindRuling(id);
    if (ruling == nullptr || options.json) continue;
    HLOCTS_ASSIGN_OR_RETURN(const std::string page,
                            ReadFile(absl::StrCat(suites::HomeFolder(), "/", ruling->path())));
    std::cout << page << "\n" << std::flush;
    any = true;
  }
  return any;
}

// Returns true if `said` contains all `words`, in any order.
bool HasWords(const std::string& said, const std::string& words) {
  for (absl::string_view word : absl::StrSplit(words, ' ', absl::SkipEmpty()))
    if (!absl::StrContains(said, word)) return false;
  return true;
}

// Returns true if the clause's sentence and its ruling's name together contain the words.
bool SaysWords(const Clause& clause, const ClauseRegistry& registry, const std::string& words) {
  const Ruling* ruling = registry.FindRuling(clause.ruling);
  const std::string said = absl::AsciiStrToLower(absl::StrCat(
      clause.text, "\n", absl::StrReplaceAll(ruling == nullptr ? "" : ruling->file, {{"-", " "}})));
  return HasWords(said, absl::AsciiStrToLower(words));
}

// Returns true if the user requested this clause: by its id (`pad.12`), by its file (`pad`), or by
// words.
bool IsAsked(const ClausesOptions& options, const Clause& clause, const ClauseRegistry& registry) {
  if (options.ids.empty() && options.words.empty()) return true;
  const auto is_it = [&](const std::string& id) {
    return id == clause.id || id == clause.operation;
  };
  const auto says = [&](const std::string& words) { return SaysWords(clause, registry, words); };
  return absl::c_any_of(options.ids, is_it) || absl::c_any_of(options.words, says);
}

// Moves arguments that are neither a clause nor a file of clauses to `words`. Returns an error for
// a single word that no clause contains and that names no ruling.
absl::Status FindWords(const ClauseRegistry& registry, ClausesOptions& options) {
  std::vector<std::string> names, ids;
  for (const Clause& clause : registry.clauses())
    if (names.empty() || names.back() != clause.operation) names.push_back(clause.operation);
  for (const std::string& id : options.ids) {
    const auto says = [&](const Clause& clause) { return SaysWords(clause, registry, id); };
    if (absl::StripAsciiWhitespace(id).empty())
      return InvalidInput("clauses: expected an ID, found \"", id, "\"");
    if (registry.Find(id) != nullptr || absl::c_linear_search(names, id)) {
      ids.push_back(id);
    } else if (absl::StrContains(id, ' ') || registry.FindRuling(id) != nullptr ||
               absl::c_any_of(registry.clauses(), says)) {
      options.words.push_back(id);
    } else {
      return InvalidInput(
          "clauses: expected a clause, a file of clauses or words of a clause, found \"", id, "\"",
          DidYouMean(id.substr(0, id.find('.')), names));
    }
  }
  options.ids = std::move(ids);
  return absl::OkStatus();
}

void PrintClause(const Clause& clause, const ClausePlace& place, const std::string& state,
                 const std::vector<std::string>& tested_by, const ClauseRegistry& registry,
                 bool whole) {
  std::printf("%-28s %-11s %s\n", clause.id.c_str(), state.c_str(), clause.text.c_str());
  if (whole) {
    std::printf("%30s%s  %s\n", "", place.source.c_str(), place.address.c_str());
    if (clause.change.has_value())
      std::printf("%30s%s in the newest edition, #%s\n", "",
                  std::string(ClauseChangeName(*clause.change)).c_str(),
                  clause.change_anchor.c_str());
    if (const Ruling* ruling = registry.FindRuling(clause.ruling))
      std::printf("%30sruling: %s\n", "", WithPaths(ruling->path()).c_str());
    if (!clause.reason.empty()) std::printf("%30s%s\n", "", clause.reason.c_str());
  }
  for (const std::string& name : tested_by) std::printf("%30s%s\n", "", name.c_str());
}

int RunClauses(ClausesOptions options) {
  const bool json = options.json;
  auto registry = ClauseRegistry::Load(suites::HomeFolder() + "/spec/clauses");
  if (!registry.ok()) return Fail(registry.status());
  const auto pages = PrintRulings(*registry, options);
  if (!pages.ok()) return Fail(pages.status());
  if (absl::Status known = FindWords(*registry, options); !known.ok()) return Fail(known);
  const auto edition = EditionOf(options.edition, registry->documents());
  if (!edition.ok()) return Fail(edition.status());
  const bool older = *edition != nullptr && (*edition)->table.empty();
  if (options.sections && (older || !options.ids.empty() || !options.words.empty()))
    return Fail(InvalidInput("clauses --sections: expected no clause and no older --edition"));
  if (options.sections) {
    PrintSections(*registry, json);
    return kExitOk;
  }
  auto cases = suites::SelectCases({}, suites::Tier::kExhaustive);
  if (!cases.ok()) return Fail(cases.status());
  auto by_clause = CasesByClause(*cases);
  for (const auto& [clause, programs] : ProgramsOfClauses())
    by_clause[clause].insert(by_clause[clause].end(), programs.begin(), programs.end());
  std::map<std::string, int> states;
  for (const Clause& clause : registry->clauses()) {
    if (!IsAsked(options, clause, *registry)) continue;
    const ClausePlace* place = *edition == nullptr ? &clause.places[0] : clause.In((*edition)->id);
    // A clause of a document that has one edition belongs to every edition.
    if (place == nullptr && registry->documents().Find(clause.document)->key.empty())
      place = &clause.places[0];
    if (place == nullptr) continue;
    const std::vector<std::string>& tested_by = by_clause[clause.id];
    std::string state(ClauseStateName(clause.state));
    // A testable clause is "tested" if a case cites it, else "open".
    if (clause.state == ClauseState::kTested && tested_by.empty()) state = "open";
    ++states[state];
    if (json) {
      nlohmann::ordered_json line = {
          {"id", clause.id},     {"source", place->source}, {"address", place->address},
          {"text", clause.text}, {"state", state},          {"cases", tested_by}};
      if (clause.change.has_value()) line["change"] = ClauseChangeName(*clause.change);
      std::cout << JsonText(line) << "\n";
    } else {
      PrintClause(clause, *place, state, tested_by, *registry,
                  !options.ids.empty() || !options.words.empty());
    }
  }
  if (states.empty() && !*pages)
    return Fail(InvalidInput(
        "clauses: ", options.words.empty()
                         ? absl::StrCat("not in this edition: ", absl::StrJoin(options.ids, ", "))
                         : "no clause of this edition has all of these words"));
  if (!json) {
    for (const auto& [state, count] : states) std::printf("%s: %d\n", state.c_str(), count);
  }
  return kExitOk;
}

}  // namespace

Command ClausesCommand() {
  return {"clauses", "list the documents' clauses and the cases that test each", [](Flags& flags) {
            auto options = std::make_shared<ClausesOptions>();
            flags.Positional("ID", &options->ids,
                             "clauses (pad.12), files of clauses (pad), several words of a clause "
                             "('signed zero'), or rulings (0036), which are printed");
            flags.Add("--edition", &options->edition,
                      "clauses of one edition (2025, before-2025, 2018); default: all clauses, "
                      "each in the newest edition that has it");
            flags.Add("--sections", &options->sections,
                      "print, per section of the newest edition, the numbers of clauses kept, "
                      "reworded, added and removed");
            flags.Add("--json", &options->json, "print JSON lines");
            return [options] { return RunClauses(*options); };
          }};
}

}  // namespace hlocts::tools
