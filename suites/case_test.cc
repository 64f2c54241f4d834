// SPDX-License-Identifier: Apache-2.0
// Tests the case format with valid and invalid files, and how cases are selected and sharded.
#include "suites/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "spec/base/status_testing.h"
#include "suites/case_template.h"
#include "suites/expectations.h"
#include "suites/selection.h"

namespace hlocts::suites {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kFile[] = R"(# a comment
@operation Pad
@opcode pad
@case first
@clauses pad.1 pad.2
@param type f32 s32
@param n 1 2
@module
HloModule m
ENTRY e { ROOT x = ${type}[${n}] parameter(0) }
@inputs special seed=5
@case second
@clauses pad.3
@tier nightly
@reject pad.3
@module
bad
@control
good
)";

TEST(CaseTest, ParametersMakeTheirProduct) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto cases,
                              ParseCases(kFile, "movement", "pad", "movement/pad.case"));
  ASSERT_EQ(cases.size(), 5u);
  EXPECT_EQ(cases[1].address, "movement/pad:first:type=f32,n=2");
  EXPECT_THAT(cases[1].module_text, HasSubstr("f32[2] parameter"));
  EXPECT_EQ(cases[1].seed, 5u);
  EXPECT_EQ(cases[1].style, generators::ArgumentStyle::kSpecial);
  EXPECT_THAT(cases[1].clauses, ::testing::ElementsAre("pad.1", "pad.2"));
  EXPECT_EQ(cases[4].address, "movement/pad:second");
  EXPECT_EQ(cases[4].tier, Tier::kNightly);
  EXPECT_EQ(cases[4].reject_rule, "pad.3");
  EXPECT_THAT(cases[4].control_text, HasSubstr("good"));
}

constexpr char kForTwo[] = R"(@for stem operation opcode complex own
cos Cos cosine smoke unary.6
cbrt Cbrt cbrt -
@case accuracy
@clauses ${own} unary.42
@param type f32 | presubmit f16 f64 | nightly bf16
@module
ENTRY e { x = ${type}[4] parameter(0) ROOT r = ${type}[4] ${opcode}(x) }
@inputs random
@case complex
@if ${complex}
@tier ${complex}
@clauses ${own} unary.44
@module
ENTRY e { x = c64[4] parameter(0) ROOT r = c64[4] ${opcode}(x) }
@inputs random
@case of_one
@if cbrt
@clauses unary.3
@module
ENTRY e { ROOT x = f32[] parameter(0) }
)";

TEST(CaseTest, OneFileMakesTheCasesOfSeveralOperations) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto cases,
                              ParseCases(kForTwo, "elementwise", "real", "elementwise/real.case"));
  ASSERT_EQ(cases.size(), 10u) << "four types of two operations, and one case of each alone";
  const Case& first = cases[0];
  EXPECT_EQ(first.address, "elementwise/cos:accuracy:type=f32");
  EXPECT_EQ(first.operation, "Cos");
  EXPECT_EQ(first.opcode, "cosine");
  EXPECT_THAT(first.clauses, ::testing::ElementsAre("unary.6", "unary.42"));
  EXPECT_THAT(first.module_text, HasSubstr("cosine(x)"));
  EXPECT_THAT(cases[4].clauses, ::testing::ElementsAre("unary.42")) << "cbrt has none of its own";
  EXPECT_EQ(cases[8].address, "elementwise/cos:complex");
  EXPECT_EQ(cases[9].address, "elementwise/cbrt:of_one");
}

TEST(CaseTest, ValuesOfAParameterHaveTheirTiers) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto cases,
                              ParseCases(kForTwo, "elementwise", "real", "elementwise/real.case"));
  const Tier expected[] = {Tier::kSmoke, Tier::kPresubmit, Tier::kPresubmit, Tier::kNightly};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(cases[i].tier, expected[i]) << i;
}

TEST(CaseTest, MistakesInRowsAreRefused) {
  const auto refused = [](absl::string_view above, absl::string_view rest = "") {
    const std::string text = absl::StrCat(above, "@case a\n@clauses c.1\n", rest, "@module\nm\n");
    return std::string(ParseCases(text, "x", "y", "f").status().message());
  };
  EXPECT_THAT(refused("@for stem operation\ncos Cos\n"), HasSubstr("f:1"));
  EXPECT_THAT(refused("@for stem operation opcode own\ncos Cos\n"), HasSubstr("f:2"));
  EXPECT_THAT(refused("@for stem operation opcode\na-b B c\n"), HasSubstr("letters, digits and _"));
  EXPECT_THAT(refused("@for stem operation opcode\n"), HasSubstr("no operation below @for"));
  EXPECT_THAT(refused("", "@param type f32 | often f16\n"), HasSubstr("expected a tier"));
  EXPECT_THAT(refused("", "@if ${complex}\n"), HasSubstr("expected a column of @for"));
  EXPECT_THAT(refused("@for stem operation opcode\na B c\n", "@if d\n"), HasSubstr("f:5"));
}

TEST(CaseTest, MistakesNameTheirLine) {
  auto unknown = ParseCases("@case a\n@clauzes pad.1\n", "x", "y", "x/y.case");
  EXPECT_THAT(std::string(unknown.status().message()), HasSubstr("x/y.case:2"));
  EXPECT_FALSE(ParseCases("@case a\n@module\nm\n", "x", "y", "f").ok()) << "no clauses";
  EXPECT_FALSE(ParseCases("@case a\n@clauses pad.1\n", "x", "y", "f").ok()) << "no module";
  EXPECT_FALSE(ParseCases("text\n", "x", "y", "f").ok());
  EXPECT_FALSE(ParseCases("", "x", "y", "f").ok());
}

TEST(CaseTest, AllMistakesOfAFileAreReportedAndTheOtherCasesRead) {
  std::vector<absl::Status> mistakes;
  const std::vector<Case> cases = ParseAllCases(
      "@case a\n@clauzes pad.1\nan unread line\n@module\nm\n"
      "@case b\n@clauses pad.1\n@tier often\n@inputs purple\n@module\nm\n"
      "@case c\n@clauses pad.1\n@module\nm\n@module\nm\n"
      "@case d\n@clauses pad.1\n@module\nm\n",
      "x", "y", "f", mistakes);
  EXPECT_THAT(AddressesOf(cases), ElementsAre("x/y:d"));
  std::vector<std::string> places;
  for (const absl::Status& mistake : mistakes)
    places.emplace_back(mistake.message().substr(0, mistake.message().find(": ")));
  EXPECT_THAT(places, ElementsAre("f:2", "f:16", "f:8", "f:9"));
}

TEST(CaseTest, WhatCannotBeJudgedSaysWhy) {
  auto read = [](const char* line) {
    const bool parameters = absl::StrContains(line, "@param");
    return ParseCases(absl::StrCat("@case a\n@clauses pad.1\n", line, "\n@module\nm",
                                   parameters ? " ${type} ${n}" : "", "\n"),
                      "x", "y", "f");
  };
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto cases, read("@inconclusive a chaotic map"));
  EXPECT_EQ(cases[0].inconclusive, "a chaotic map");
  EXPECT_FALSE(read("@inconclusive").ok()) << "no reason";
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto some,
      read("@param type f32 bf16\n@param n 1 2\n@inconclusive type=bf16,n=2: too narrow"));
  ASSERT_EQ(some.size(), 4u);
  for (const Case& one : some) {
    EXPECT_EQ(one.inconclusive, one.address == "x/y:a:type=bf16,n=2" ? "too narrow" : "");
    EXPECT_EQ(one.inconclusive_in_relaxed, one.inconclusive);
  }
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto relaxed,
                              read("@param type f32 bf16\n@param n 1 2\n@inconclusive "
                                   "profile=relaxed,type=bf16: too loose"));
  for (const Case& one : relaxed) {
    EXPECT_EQ(one.inconclusive, "");
    EXPECT_EQ(one.inconclusive_in_relaxed,
              absl::StrContains(one.address, "bf16") ? "too loose" : "");
  }
}

TEST(ExpectationsTest, InconclusiveByNatureIsExpectedAndNamed) {
  reports::Verdict verdict;
  verdict.kind = Outcome::kInconclusive;
  verdict.inconclusive_by_nature = "a chaotic map";
  ExpectationList().Apply(verdict, "");
  EXPECT_TRUE(verdict.expected);
  EXPECT_EQ(reports::ExpectationText(verdict), "inconclusive by its case: a chaotic map");
}

TEST(QueryTest, EndsAtASeparatorUnlessStarred) {
  const char* address = "elementwise/tanh:special:type=bf16,n=2";
  for (const char* yes : {"elementwise", "elementwise/tanh", "elementwise/tanh:special:type=bf16",
                          "elementwise/tanh:special:type=bf16,n=2", "*tanh*",
                          "elementwise/*:special", "*bf16", "*"}) {
    EXPECT_TRUE(QueryMatches(yes, address)) << yes;
  }
  for (const char* no : {"element", "elementwise/tan", "elementwise/tanh:special:type=bf1",
                         "*tanhh*", "tanh", "elementwise/*:spec"}) {
    EXPECT_FALSE(QueryMatches(no, address)) << no;
  }
}

TEST(ShardTest, EachAddressIsInExactlyOneShard) {
  EXPECT_EQ(ShardOf("a/b:c", 1), 1);
  std::vector<int> counts(8, 0);
  for (int i = 0; i < 8000; ++i) ++counts[ShardOf(absl::StrCat("a/b:c", i), 8) - 1];
  for (int count : counts) EXPECT_GT(count, 800);
}

TEST(QueryTest, EmptyQuerySuggestsNearest) {
  const std::vector<std::string> addresses = {"movement/pad:a", "movement/rev:middle_one",
                                              "movement/rev:middle_two"};
  EXPECT_EQ(NearestQuery("movement/rev:middle", addresses),
            "; 'movement/rev:middle*' selects 2 cases, such as movement/rev:middle_one");
  EXPECT_EQ(NearestQuery("middle", addresses),
            "; '*middle*' selects 2 cases, such as movement/rev:middle_one");
  EXPECT_EQ(NearestQuery("movement/rve", addresses), "; nearest: movement/rev");
  EXPECT_EQ(NearestQuery("qqqqqqqqqq", addresses), "");
}

TEST(CaseTest, AFailureHasTheOneSentenceThatItsCaseIsFor) {
  EXPECT_EQ(ClauseOfCase("pad", {"rev.1", "pad.4"}), "pad.4");
  EXPECT_EQ(ClauseOfCase("pad", {"pad.4", "pad.5"}), "pad") << "either may be broken";
  EXPECT_EQ(ClauseOfCase("pad", {"padding.4"}), "pad");
  EXPECT_EQ(ClauseOfCase("rev.2", {"rev.1"}), "rev.2");
}

TEST(CaseTest, ErrorsOfABlockHaveTheLineOfTheFile) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto cases,
      ParseCases(
          "@operation Pad\n@opcode pad\n@clauses pad.1\n@case a\n@module\nm\n@inputs\none\ntwo\n"
          "@case b\n@module\nm\n# why\nm\n",
          "movement", "pad", "movement/pad.case"));
  const CasePlace& a = cases[0].place;
  EXPECT_EQ(a.Located("inputs", "line 2: no"), "movement/pad.case:9: @inputs: no");
  EXPECT_EQ(a.Located("module", "line 1, column 4: no"),
            "movement/pad.case:6: @module, column 4: no");
  EXPECT_EQ(a.Located("inputs", "too few"), "movement/pad.case: @inputs: too few");
  EXPECT_EQ(cases[1].place.Located("module", "line 2: no"),
            "movement/pad.case: @module: line 2: no")
      << "a comment stands between";
}

}  // namespace
}  // namespace hlocts::suites
