// SPDX-License-Identifier: Apache-2.0
// Checks the clauses of this repository: they are complete and unique, every citation resolves, and
// the pages of spec/rulings agree with them.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/base/status_testing.h"
#include "spec/clauses/of_opcodes.h"
#include "spec/clauses/registry.h"

namespace hlocts {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

ClauseRegistry RealRegistry() {
  auto registry = ClauseRegistry::Load(absl::StrCat(HLOCTS_SOURCE_DIR, "/spec/clauses"));
  EXPECT_TRUE(registry.ok()) << registry.status();
  return registry.ok() ? *std::move(registry) : ClauseRegistry();
}

std::string ReadText(const std::string& path) {
  std::ifstream stream(path);
  return std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

TEST(RealRegistry, HasEveryDocumentAndAThousandClauses) {
  const ClauseRegistry registry = RealRegistry();
  EXPECT_GE(registry.clauses().size(), 1000u);
  std::map<std::string, int> cited;
  for (const Clause& clause : registry.clauses()) ++cited[clause.document];
  EXPECT_GE(cited["operation-semantics"], 800);
  EXPECT_GE(cited["operation-semantics-2018"], 60);
  EXPECT_GE(cited["broadcasting"], 35);
  EXPECT_GE(cited["shapes"], 30);
  EXPECT_GE(cited["aliasing"], 12);
  EXPECT_GE(cited["operation-semantics-2025"], 100);
  EXPECT_EQ(cited.size(), 6u);
  EXPECT_EQ(registry.documents().all().size(), 6u);
}

TEST(RealRegistry, NothingIsOpenAndNothingIsSaidTwice) {
  const ClauseRegistry registry = RealRegistry();
  std::map<std::string, std::string> texts;
  for (const Clause& clause : registry.clauses()) {
    EXPECT_NE(clause.state, ClauseState::kOpen) << clause.id;
    const auto [before, fresh] = texts.emplace(clause.operation + clause.text, clause.id);
    EXPECT_TRUE(fresh) << clause.id << " repeats " << before->second;
    EXPECT_EQ(registry.Find(clause.id), &clause) << clause.id;
  }
}

TEST(RealRegistry, ClausesOfTheOlderEditionSayWhere) {
  const ClauseRegistry registry = RealRegistry();
  for (const Clause& clause : registry.clauses()) {
    const bool older = clause.document == "operation-semantics-2018";
    EXPECT_TRUE(!older || !clause.words.empty()) << clause.id;
    EXPECT_TRUE(clause.also.empty() || clause.also == "operation-semantics-2018") << clause.id;
  }
}

// Clauses must cite every listed section; a section without a clause was overlooked or misspelt.
TEST(RealRegistry, EverySectionIsCited) {
  const ClauseRegistry registry = RealRegistry();
  std::set<std::pair<std::string, std::string>> cited;
  for (const Clause& clause : registry.clauses()) {
    for (const ClausePlace& place : clause.places) cited.insert({place.document, place.anchor});
  }
  for (const Document& document : registry.documents().all()) {
    for (const std::string& section : document.sections) {
      // A citation of a subsection also counts for its section, and vice versa.
      const auto below = [&](const std::string& other) {
        return other == section || absl::StartsWith(other, section + " / ") ||
               absl::StartsWith(section, other + " / ");
      };
      EXPECT_TRUE(
          std::any_of(document.sections.begin(), document.sections.end(),
                      [&](const std::string& other) {
                        return below(other) && cited.count({document.id, AnchorOf(other)}) > 0;
                      }))
          << document.id << ": " << section;
    }
  }
}

// A clause must cite each ruling, the index must list it, and its page must have every part.
TEST(RealRegistry, EveryRulingIsCompleteCitedAndIndexed) {
  const ClauseRegistry registry = RealRegistry();
  EXPECT_GE(registry.rulings().size(), 60u);
  std::set<std::string> cited;
  for (const Clause& clause : registry.clauses()) cited.insert(clause.ruling);
  const std::string folder = absl::StrCat(HLOCTS_SOURCE_DIR, "/spec/rulings/");
  const std::string index = ReadText(folder + "INDEX.md");
  for (const Ruling& ruling : registry.rulings()) {
    EXPECT_EQ(cited.count(ruling.number), 1u) << ruling.file << " is cited by no clause";
    EXPECT_THAT(index, HasSubstr(absl::StrCat("(", ruling.file, ")")));
    const std::string page = ReadText(folder + ruling.file);
    for (const char* part : {"# ", "## Question", "## Documents", "## Implementations", "XLA",
                             "## Decision", "## Cases"}) {
      EXPECT_THAT(page, HasSubstr(part)) << ruling.file;
    }
  }
}

struct NamedFreedom {
  const char* name;
  int ruling;
};
constexpr NamedFreedom kFreedoms[] = {
#define HLOCTS_FREEDOM(symbol, name, ruling, facts) {name, ruling},
#include "spec/ops/freedoms.def"
#undef HLOCTS_FREEDOM
};

// The page of each freedom's ruling must name the freedom. No page may name an unknown freedom.
TEST(RealRegistry, FreedomsHaveTheirRulings) {
  const ClauseRegistry registry = RealRegistry();
  std::map<int, std::set<std::string>> said;
  for (const Ruling& ruling : registry.rulings()) {
    std::string page = ReadText(absl::StrCat(HLOCTS_SOURCE_DIR, "/", ruling.path()));
    absl::StrReplaceAll({{"\n", " "}, {"Freedom `", "freedom `"}}, &page);
    const std::vector<std::string> parts = absl::StrSplit(page, "freedom `");
    for (size_t i = 1; i < parts.size(); ++i)
      said[std::stoi(ruling.number)].insert(parts[i].substr(0, parts[i].find('`')));
  }
  std::set<std::string> names;
  for (const NamedFreedom& freedom : kFreedoms) {
    names.insert(freedom.name);
    EXPECT_EQ(said[freedom.ruling].count(freedom.name), 1u) << freedom.name;
  }
  for (const auto& [ruling, all] : said) {
    for (const std::string& name : all) EXPECT_EQ(names.count(name), 1u) << ruling << ": " << name;
  }
}

// Each clause of the operation semantics is in the newest edition or listed as dropped. Loading the
// registry checks that each of the 110 sections and parts has a clause.
TEST(RealRegistry, ClausesAreInNewestEditionOrRemoved) {
  const ClauseRegistry registry = RealRegistry();
  std::map<ClauseChange, int> changes;
  for (const Clause& clause : registry.clauses()) {
    if (!clause.change.has_value()) {
      EXPECT_EQ(clause.In("operation-semantics-2025"), nullptr) << clause.id;
      EXPECT_NE(clause.document, "operation-semantics") << clause.id;
      continue;
    }
    ++changes[*clause.change];
    EXPECT_EQ(clause.In("operation-semantics-2025") == nullptr,
              clause.change == ClauseChange::kGone)
        << clause.id;
  }
  EXPECT_GE(changes[ClauseChange::kKept], 1000);
  EXPECT_GE(changes[ClauseChange::kReworded], 30);
  EXPECT_GE(changes[ClauseChange::kNew], 100);
  EXPECT_GE(changes[ClauseChange::kGone], 20);
  const Document* newest = registry.documents().Find("operation-semantics-2025");
  ASSERT_NE(newest, nullptr);
  EXPECT_EQ(std::count_if(newest->sections.begin(), newest->sections.end(),
                          [](const std::string& s) { return !absl::StrContains(s, " / "); }),
            110);
}

// Nearly all statements of the 2025 page have a clause of that edition.
TEST(RealRegistry, StatementsOfTheNewestEditionHaveClauses) {
  const ClauseRegistry registry = RealRegistry();
  const std::string text =
      ReadText(absl::StrCat(HLOCTS_SOURCE_DIR, "/spec/clauses/statements_2025.txt"));
  int statements = 0, stated = 0;
  std::set<std::string> sections;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    const std::vector<std::string> parts = absl::StrSplit(line, " | ");
    if (parts.size() != 3) continue;
    ++statements;
    sections.insert(parts[0]);
    EXPECT_TRUE(registry.documents().FindSection("operation-semantics-2025", parts[0]).ok())
        << line;
    if (parts[2] == "-") continue;
    ++stated;
    for (const std::string& id : std::vector<std::string>(absl::StrSplit(parts[2], ' '))) {
      const Clause* clause = registry.Find(id);
      ASSERT_NE(clause, nullptr) << line;
      EXPECT_NE(clause->In("operation-semantics-2025"), nullptr) << line;
    }
  }
  EXPECT_GE(statements, 300);
  EXPECT_GE(sections.size(), 140u);
  EXPECT_GE(stated * 100, statements * 97) << stated << " of " << statements;
}

// Returns the citation of a clause on a ruling page: its section in the newest edition that has it.
std::string Citation(const Clause& clause, const Documents& documents) {
  const ClausePlace& place = clause.places[0];
  const auto section = documents.FindSection(place.document, place.anchor);
  return absl::StrCat("- `", clause.id, "` (", ShortSourceOf(*section),
                      clause.places.size() == 3 ? ", all editions): " : "): ");
}

// Each clause that a ruling page quotes is in the section that the page names.
TEST(RealRegistry, RulingsQuoteExistingClauses) {
  const ClauseRegistry registry = RealRegistry();
  int quoted = 0;
  for (const Ruling& ruling : registry.rulings()) {
    std::string page = ReadText(absl::StrCat(HLOCTS_SOURCE_DIR, "/", ruling.path()));
    absl::StrReplaceAll({{"\n  ", " "}}, &page);  // a citation may continue on the next line
    for (const std::string& line : std::vector<std::string>(absl::StrSplit(page, '\n'))) {
      if (line.rfind("- `", 0) != 0) continue;
      const std::string id = line.substr(3, line.find('`', 3) - 3);
      if (id.find('/') != std::string::npos) continue;  // the address of a case
      const Clause* clause = registry.Find(id);
      ASSERT_NE(clause, nullptr) << ruling.file << ": " << line;
      EXPECT_THAT(line, StartsWith(Citation(*clause, registry.documents()))) << ruling.file;
      ++quoted;
    }
  }
  EXPECT_GE(quoted, 100);
}

TEST(RealRegistry, WhatAFailureQuotesIsThereAndSaysTheValue) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto found, LoadClausesOfOpcodes(absl::StrCat(
                                              HLOCTS_SOURCE_DIR, "/spec/clauses/of_opcodes.txt")));
  EXPECT_GE(found.size(), 100u);
  const ClauseRegistry registry = RealRegistry();
  for (const auto& [opcode, clauses] : found) {
    for (const std::string& id : clauses) {
      const Clause* clause = registry.Find(id);
      ASSERT_NE(clause, nullptr) << opcode << ": " << id;
      EXPECT_EQ(clause->text.find("the signature"), std::string::npos) << opcode << ": " << id;
    }
  }
}

}  // namespace
}  // namespace hlocts
