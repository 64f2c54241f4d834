// SPDX-License-Identifier: Apache-2.0
// Tests the conformance cases as data: every clause that they cite exists, every operation of the
// documents has a case, modules of valid cases are valid, and the module of a @reject case breaks
// exactly the rule that the case names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "spec/clauses/registry.h"
#include "spec/files/literals_file.h"
#include "spec/infer/verifier.h"
#include "spec/ir/opcode.h"
#include "spec/ops/op_table.h"
#include "spec/proto/convert.h"
#include "spec/proto/hlo.pb.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"
#include "suites/case.h"

namespace hlocts::suites {
namespace {

const std::vector<Case>& AllCases() {
  static const auto* cases = new auto(LoadCases(HLOCTS_SOURCE_DIR "/suites/cases").value());
  return *cases;
}

const ClauseRegistry& Clauses() {
  static const auto* registry =
      new auto(ClauseRegistry::Load(HLOCTS_SOURCE_DIR "/spec/clauses").value());
  return *registry;
}

std::string ReadAll(const std::string& path) {
  std::ifstream in(absl::StrCat(HLOCTS_SOURCE_DIR "/", path));
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Returns the addresses listed under the heading Cases of a ruling page.
std::vector<std::string> CasesOfRuling(const Ruling& ruling) {
  std::istringstream in(ReadAll(ruling.path()));
  std::vector<std::string> addresses;
  bool below = false;
  for (std::string line; std::getline(in, line);) {
    if (absl::StartsWith(line, "## ")) below = line == "## Cases";
    if (!below || !absl::StartsWith(line, "- `")) continue;
    addresses.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return addresses;
}

std::string Where(const Case& one) {
  return absl::StrCat(one.place.file, ":", one.place.line, ": ", one.address);
}

TEST(CasesTest, AreThere) { EXPECT_GT(AllCases().size(), 2000u); }

TEST(CasesTest, CiteClausesThatExist) {
  for (const Case& one : AllCases()) {
    for (const std::string& id : one.clauses) {
      EXPECT_NE(Clauses().Find(id), nullptr) << Where(one) << " cites " << id;
    }
  }
}

// Returns the clauses of suites/clause_tests.txt. Checks that they and their tests exist.
std::set<std::string> ClausesOfPrograms() {
  std::set<std::string> clauses;
  std::istringstream lines(ReadAll("suites/clause_tests.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string clause, file, test;
    words >> clause >> file >> test;
    // The regular expression matches `TEST(Suite, Name)`, on one or two lines, and `@case Name`.
    const std::regex named(absl::StrCat("(,\\s+", test, "\\)|@case ", test, "\n)"));
    EXPECT_TRUE(std::regex_search(ReadAll(file), named))
        << file << " has no test " << test << " for " << clause;
    EXPECT_NE(Clauses().Find(clause), nullptr) << clause;
    clauses.insert(clause);
  }
  return clauses;
}

TEST(CasesTest, EveryTestableClauseIsCited) {
  std::set<std::string> cited = ClausesOfPrograms();
  for (const Case& one : AllCases()) cited.insert(one.clauses.begin(), one.clauses.end());
  std::vector<std::string> missing;
  for (const Clause& clause : Clauses().clauses()) {
    bool wanted = clause.state == ClauseState::kTested || clause.state == ClauseState::kFreedom;
    if (wanted && !cited.count(clause.id)) missing.push_back(clause.id);
  }
  EXPECT_THAT(missing, ::testing::IsEmpty())
      << "clauses without a case: cite them in @clauses of a "
         "case that would fail if they were broken";
}

TEST(CasesTest, EveryDocumentedOperationHasACase) {
  std::set<std::string> operations;
  std::string modules;
  for (const Case& one : AllCases()) {
    operations.insert(one.operation);
    modules += one.module_text;
  }
  for (int i = 0; i < kOpcodeCount; ++i) {
    const OpRow& row = RowOf(static_cast<Opcode>(i));
    if (row.documented_as.empty()) continue;
    EXPECT_NE(modules.find(absl::StrCat(" ", OpcodeName(row.opcode), "(")), std::string::npos)
        << "opcode " << OpcodeName(row.opcode) << " (" << row.documented_as
        << ") has no case: add suites/cases/<area>/<operation>.case";
  }
  for (const AliasRow& alias : AllAliases()) {
    EXPECT_TRUE(operations.count(std::string(alias.operation)))
        << "the documented operation " << alias.operation
        << " has no case: add a file with @operation " << alias.operation;
  }
}

TEST(CasesTest, CasesUseTheOpcodeTheyName) {
  // Areas that cover several operations at once.
  const std::set<std::string> mixed = {"aliasing", "broadcasting", "composition", "layout",
                                       "programs"};
  for (const Case& one : AllCases()) {
    if (mixed.count(one.address.substr(0, one.address.find('/')))) continue;
    EXPECT_NE(one.module_text.find(absl::StrCat(" ", one.opcode, "(")), std::string::npos)
        << Where(one) << " has no instruction " << one.opcode;
  }
}

TEST(CasesTest, ValidModulesVerify) {
  for (const Case& one : AllCases()) {
    if (!one.reject_rule.empty()) continue;
    auto module = ParseModule(one.module_text);
    ASSERT_TRUE(module.ok()) << Where(one) << ": " << module.status() << "\n" << one.module_text;
    absl::Status valid = VerifyModule(**module);
    EXPECT_TRUE(valid.ok()) << Where(one) << ": " << valid << "\n" << one.module_text;
  }
}

TEST(CasesTest, RejectedModulesBreakTheRuleTheyName) {
  for (const Case& one : AllCases()) {
    if (one.reject_rule.empty()) continue;
    auto control = ParseModule(one.control_text);
    ASSERT_TRUE(control.ok()) << Where(one) << ": control: " << control.status();
    absl::Status valid = VerifyModule(**control);
    EXPECT_TRUE(valid.ok()) << Where(one) << ": control: " << valid;
    // The parser rejects a text that is no module; its error names the rule.
    auto module = ParseModule(one.module_text);
    absl::Status broken = module.ok() ? VerifyModule(**module) : module.status();
    EXPECT_FALSE(broken.ok()) << Where(one) << "\n" << one.module_text;
    EXPECT_EQ(RuleOf(broken), one.reject_rule) << Where(one) << ": " << broken;
  }
}

TEST(CasesTest, InputsAndExpectationsFitTheirModules) {
  for (const Case& one : AllCases()) {
    if (!one.reject_rule.empty()) continue;
    auto module = ParseModule(one.module_text);
    ASSERT_TRUE(module.ok()) << Where(one);
    std::vector<Shape> leaves = backends::ArgumentLeafShapes(**module);
    if (!one.style && !leaves.empty()) {
      auto inputs = ParseLiterals(one.inputs_text, leaves);
      EXPECT_TRUE(inputs.ok()) << Where(one) << ": inputs: " << inputs.status();
    }
    EXPECT_FALSE(one.style && leaves.empty()) << Where(one) << " has @inputs but no parameters";
    if (!absl::StripAsciiWhitespace(one.expect_text).empty()) {
      auto expected = ParseLiterals(one.expect_text, backends::OutputLeafShapes(**module));
      EXPECT_TRUE(expected.ok()) << Where(one) << ": expect: " << expected.status();
    }
  }
}

TEST(CasesTest, TextProtoTextIsAFixpoint) {
  std::set<std::string> seen;
  for (const Case& one : AllCases()) {
    if (!one.reject_rule.empty() || !seen.insert(one.module_text).second) continue;
    auto module = ParseModule(one.module_text);
    ASSERT_TRUE(module.ok()) << Where(one);
    std::string text = PrintModule(**module);
    auto proto = ModuleToProto(**module);
    ASSERT_TRUE(proto.ok()) << Where(one) << ": " << proto.status();
    auto back = ModuleFromProto(*proto);
    ASSERT_TRUE(back.ok()) << Where(one) << ": " << back.status();
    EXPECT_EQ(PrintModule(**back), text) << Where(one);
    auto again = ParseModule(text);
    ASSERT_TRUE(again.ok()) << Where(one) << ": " << again.status() << "\n" << text;
    EXPECT_EQ(PrintModule(**again), text) << Where(one);
  }
}

// Ruling pages list the cases that test them.
TEST(CasesTest, CasesOfTheRulingsExist) {
  std::set<std::string> addresses;
  for (const Case& one : AllCases()) addresses.insert(one.address);
  for (const Ruling& ruling : Clauses().rulings()) {
    for (const std::string& named : CasesOfRuling(ruling)) {
      bool found = false;
      for (const std::string& address : addresses) found = found || QueryMatches(named, address);
      EXPECT_TRUE(found) << ruling.file << " names " << named << ", which is no case";
    }
  }
}

}  // namespace
}  // namespace hlocts::suites
