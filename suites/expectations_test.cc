// SPDX-License-Identifier: Apache-2.0
#include "suites/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "spec/base/status_testing.h"
#include "suites/expectations.pb.h"

namespace hlocts::suites {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<ExpectationList> ListOf(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path) << text;
  return ExpectationList::Load(path);
}

// `since` and `before` name releases. Releases are ordered by the age of their sources.
TEST(ExpectationsTest, ConditionBeforeReleaseExcludesFixedVersion) {
  auto list = ListOf(
      "releases.textproto",
      "expectation { query: 'a/b' verdict: 'fail' kind: BUG clause: 'pad.1' reason: 'known'\n"
      "  condition { since: 'xla@2026.03' before: 'xla@0.11.2' } }\n");
  ASSERT_TRUE(list.ok()) << list.status();
  auto applied = [&](const char* engine, Outcome kind, const char* version = "") {
    reports::Verdict verdict;
    verdict.case_address = "a/b:c";
    verdict.backend = engine;
    verdict.backend_version = version;
    verdict.kind = kind;
    list->Apply(verdict, "");
    return std::pair(verdict.expected, list->FixedSince(verdict));
  };
  const auto fail = Outcome::kFail, pass = Outcome::kPass;
  EXPECT_FALSE(applied("xla?a=b", fail).first) << "the newest";
  EXPECT_TRUE(applied("xla?a=b", fail, "cpu, XLA:CPU of tensorflow-cpu 2.21.0").first);
  EXPECT_TRUE(applied("xla@2026.06", fail).first);
  EXPECT_FALSE(applied("xla@2026.06", pass).first);
  EXPECT_FALSE(applied("xla@2025.11", fail).first) << "older than `since`";
  EXPECT_FALSE(applied("xla@0.11.2", fail).first) << "it came back";
  EXPECT_EQ(applied("xla@0.11.2", pass), std::pair(true, std::string("xla@0.11.2")));
  EXPECT_EQ(applied("xla@2026.06", pass).second, "");
  EXPECT_FALSE(applied("another", fail).first) << "no release, as the newest";
  list = ListOf("releases.textproto",
                "expectation { query: 'a/b' verdict: 'fail' kind: BUG clause: 'pad.1' reason: 'r' "
                "condition { since: 'xla@0.11.2' } }");
  EXPECT_TRUE(applied("another", fail).first) << "no release, as the newest";
  list = ListOf("releases.textproto",
                "expectation { query: 'a' verdict: 'fail' kind: BUG clause: 'pad.1' reason: 'r' "
                "condition { before: 'xla@0' } }");
  EXPECT_THAT(std::string(list.status().message()), HasSubstr("xla@0"));
}

TEST(ExpectationsTest, AnUnexpectedPassIsNotAsExpected) {
  auto list = ListOf(
      "expectations.textproto",
      "expectation { query: 'a/b' verdict: 'fail' kind: BUG clause: 'pad.1' reason: 'known'\n"
      "  condition { version_contains: '2.21' without_option: 'partitioner=shardy' } }\n");
  ASSERT_TRUE(list.ok()) << list.status();
  reports::Verdict verdict;
  verdict.case_address = "a/b:c";
  verdict.backend_version = "XLA 2.21.0";
  verdict.kind = Outcome::kFail;
  list->Apply(verdict, "");
  EXPECT_TRUE(verdict.expected);
  verdict.backend = "xla?partitioner=shardy";
  list->Apply(verdict, "");
  EXPECT_FALSE(verdict.expected) << "the condition excludes the option";
  verdict.backend = "xla?partitioner=gspmd";
  verdict.kind = Outcome::kPass;
  list->Apply(verdict, "");
  EXPECT_FALSE(verdict.expected);
  verdict.backend_version = "XLA 2.22.0";
  list->Apply(verdict, "");
  EXPECT_TRUE(verdict.expected) << "the condition no longer holds";
}

TEST(ExpectationsTest, AProbableResultIsAsExpectedIfAnInconclusiveOneIs) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto list, ListOf("probable.textproto",
                                                "expectation { query: 'a' verdict: 'inconclusive' "
                                                "kind: BUG clause: 'pad.1' reason: 'r' }"));
  reports::Verdict verdict;
  verdict.case_address = "a";
  verdict.kind = Outcome::kProbable;
  list.Apply(verdict, "");
  EXPECT_TRUE(verdict.expected);
}

TEST(ExpectationsTest, AnOptionIsWhole) {
  struct {
    const char *condition, *backend;
    bool holds;
  } rows[] = {
      {"option: 'a=1'", "e?a=1", true},          {"option: 'a=1'", "e?b=2&a=1", true},
      {"option: 'a=1'", "e?a=10", false},        {"option: 'a=1'", "e?ba=1", false},
      {"option: 'a=1'", "a=1", false},           {"option: 'a'", "e?a=10", true},
      {"option: 'a'", "e?ab=1", false},          {"option: 'a'", "e", false},
      {"without_option: 'a=1'", "e?a=1", false}, {"without_option: 'a=1'", "e?a=10", true},
      {"without_option: 'a=1'", "e", true},      {"without_option: 'a'", "e?b=1&a=2", false}};
  for (const auto& row : rows) {
    auto list = ListOf("options.textproto",
                       absl::StrCat("expectation { query: 'a' verdict: 'fail' kind: BUG clause: "
                                    "'pad.1' reason: 'r' condition { ",
                                    row.condition, " } }"));
    ASSERT_TRUE(list.ok()) << list.status();
    reports::Verdict verdict;
    verdict.case_address = "a";
    verdict.backend = row.backend;
    verdict.kind = Outcome::kFail;
    list->Apply(verdict, "");
    EXPECT_EQ(verdict.expected, row.holds) << row.condition << " of " << row.backend;
  }
}

TEST(ExpectationsTest, SignaturesOfTheSameCompilerApply) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto list, ExpectationList::Load(ExpectationsPath("jaxlib@0.10.2")));
  reports::Verdict verdict;
  verdict.backend = "jaxlib@0.10.2";
  verdict.kind = Outcome::kCrash;
  const auto* entry =
      list.Explaining("crash rng Check failed: primitive_type ==", verdict, nullptr);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->link(), "results/findings/xla-rng-of-s4");
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto own, ListOf("itself.textproto", "signatures_of: 'none'"));
  EXPECT_EQ(own.size(), 0u);
  EXPECT_FALSE(ListOf("itself.textproto", "signatures_of: 'itself'").ok());
}

// The last word is about the output, which a select may compute from the wrong comparison.
TEST(ExpectationsTest, AWrongComparisonIsKnownWhateverUsesIt) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto list, ExpectationList::Load(ExpectationsPath("xla@0.11.2")));
  reports::Verdict verdict;
  verdict.backend = "xla@0.11.2";
  verdict.kind = Outcome::kFail;
  const std::set<std::string> nan = {"nan"};
  for (const char* end : {"value", "nan", "inf", "zero"}) {
    for (const char* begin : {"abs,compare", "compare,exponential", "compare,multiply"}) {
      const std::string signature = absl::StrCat("fail ", begin, "(together) f32->pred ", end);
      EXPECT_TRUE(list.Explaining(signature, verdict, &nan)) << signature;
    }
  }
  // "fail *multiply* zero" is not about partitioned modules.
  EXPECT_TRUE(list.Explaining("fail multiply f32 zero", verdict, nullptr));
  EXPECT_FALSE(list.Explaining("fail multiply(partitioned) f32 zero", verdict, nullptr));
  // "fail *power* s* *" also matches, and comes first.
  verdict.backend_version = "lammps-jax-pjrt-cpu 0.11.2";
  EXPECT_THAT(list.Explaining("fail divide,power(together) s32 zero", verdict, nullptr)->link(),
              testing::EndsWith("xla-integer-division-by-a-power"));
}

// Two findings may have one signature; a case that the list names has the finding of its entry.
TEST(ExpectationsTest, TheEntryOfACaseExplainsItsFailure) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto list, ListOf("explains.textproto",
                        "expectation { signature: 'fail pad*' verdict: 'fail' kind: BUG "
                        "clause: 'pad.1' reason: 'of the signature' } "
                        "expectation { query: 'a/b' verdict: 'fail' kind: BUG clause: 'pad.10' "
                        "reason: 'of the case' }"));
  reports::Verdict verdict;
  verdict.kind = Outcome::kFail;
  EXPECT_EQ(list.Explaining("fail pad f32 value", verdict, nullptr)->clause(), "pad.1");
  verdict.case_address = "a/b";
  EXPECT_EQ(list.Explaining("fail pad f32 value", verdict, nullptr)->clause(), "pad.10");
}

TEST(ExpectationsTest, AFlakeNeedsAnEntryThatSaysSo) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto list, ListOf("flakes.textproto",
                                                "expectation { query: 'a/b' verdict: 'flake' kind: "
                                                "BUG clause: 'pad.1' reason: 'corrupted' "
                                                "}\n"
                                                "expectation { query: 'a/b:fails' verdict: 'fail' "
                                                "kind: BUG clause: 'pad.1' reason: 'known' "
                                                "}\n"));
  auto expected = [&](const char* address, Outcome kind, const char* flake) {
    reports::Verdict verdict;
    verdict.case_address = address;
    verdict.kind = kind;
    verdict.flake = flake;
    list.Apply(verdict, "");
    return verdict.expected;
  };
  EXPECT_TRUE(expected("a/b:c", Outcome::kCrash, "crash, pass, pass"));
  EXPECT_FALSE(expected("a/b:c", Outcome::kCrash, "")) << "it crashes every time";
  EXPECT_TRUE(expected("a/b:c", Outcome::kPass, ""));
  EXPECT_FALSE(expected("a/other:c", Outcome::kCrash, "crash, pass, pass"));
  EXPECT_TRUE(expected("a/b:fails", Outcome::kFail, ""));
  EXPECT_TRUE(expected("a/b:fails", Outcome::kCrash, "crash, fail, fail"));
  EXPECT_FALSE(expected("a/b:fails", Outcome::kPass, "")) << "an unexpected pass";
}

TEST(ExpectationsTest, EntriesWithoutReasonAreRefused) {
  EXPECT_FALSE(ListOf("bad.textproto",
                      "expectation { query: 'a/b' verdict: 'fail' kind: BUG clause: 'pad.1' }\n")
                   .ok());
  EXPECT_TRUE(ExpectationList::Load("/nonexistent").ok()) << "no file: nothing is expected";
}

TEST(ExpectationsTest, MisspeltVerdictNamesLine) {
  const absl::Status status = ListOf("fial.textproto",
                                     "# list\nexpectation { query: 'a/b' verdict: 'fial' kind: "
                                     "BUG clause: 'pad.1' reason: 'r' }\n")
                                  .status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("fial.textproto:2: verdict \"fial\""));
  EXPECT_THAT(std::string(status.message()), HasSubstr("did you mean fail?"));
}

TEST(ExpectationsTest, AClauseThatIsInNoDocumentIsRefused) {
  const auto refused = [](const std::string& clause) {
    return std::string(ListOf("clause.textproto",
                              absl::StrCat("\nexpectation { query: 'a/b' verdict: 'fail' kind: BUG "
                                           "clause: '",
                                           clause, "' reason: 'r' }\n"))
                           .status()
                           .message());
  };
  EXPECT_THAT(refused("nosuch.7"),
              HasSubstr("clause.textproto:2: no clause \"nosuch.7\"; `hlocts"));
  EXPECT_THAT(refused("scater.1"), HasSubstr("did you mean scatter.1?"));
  EXPECT_EQ(refused("scatter.1"), "");
  EXPECT_EQ(refused(kUnknownClause), "");
  EXPECT_EQ(refused("elementwise_comparison"), "") << "a file of clauses";
}

TEST(ExpectationsTest, EveryListOfTheTreeLoads) {
  for (const auto& file :
       std::filesystem::directory_iterator(HLOCTS_SOURCE_DIR "/suites/expectations")) {
    if (file.path().extension() != ".textproto") continue;
    EXPECT_TRUE(ExpectationList::Load(file.path().string(), true).ok()) << file.path();
  }
}

TEST(ExpectationsTest, AQueryThatSelectsNoCaseIsNamed) {
  const std::string rest = "' verdict: 'fail' kind: BUG clause: 'rev.1' reason: 'r' }\n";
  auto list = ListOf("typo.textproto", "expectation { query: 'movement/rev" + rest +
                                           "expectation { query: 'movement/revv" + rest);
  ASSERT_TRUE(list.ok()) << list.status();
  const std::vector<std::string> without =
      list->WithoutCase({"movement/pad:a", "movement/rev:dimensions"});
  ASSERT_EQ(without.size(), 1U) << "the other one selects a case";
  EXPECT_THAT(without[0], HasSubstr("typo.textproto:2: \"movement/revv\" selects no case; "
                                    "nearest: movement/rev"));
}

}  // namespace
}  // namespace hlocts::suites
