// SPDX-License-Identifier: Apache-2.0
#include "suites/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace hlocts::suites {
namespace {

using ::testing::HasSubstr;

// `since` and `before` name releases, which are ordered by the age of their sources.
TEST(ExpectationsTest, AReleaseMayHaveMendedWhatThoseBeforeItDoWrong) {
  std::string path = ::testing::TempDir() + "/releases.textproto";
  std::FILE* file = std::fopen(path.c_str(), "w");
  std::fputs(
      "expectation { query: 'a/b' verdict: 'fail' kind: BUG clause: 'pad.1' reason: 'known'\n"
      "  condition { since: 'xla' before: 'xla@0.11.2' } }\n",
      file);
  std::fclose(file);
  auto list = ExpectationList::Load(path);
  ASSERT_TRUE(list.ok()) << list.status();
  auto applied = [&](const char* engine, reports::VerdictKind kind) {
    reports::Verdict verdict;
    verdict.case_address = "a/b:c";
    verdict.backend = engine;
    verdict.kind = kind;
    list->Apply(verdict, "");
    return std::pair(verdict.expected, list->FixedSince(verdict));
  };
  const auto fail = reports::VerdictKind::kFail, pass = reports::VerdictKind::kPass;
  EXPECT_TRUE(applied("xla?a=b", fail).first);
  EXPECT_TRUE(applied("xla@2026.06", fail).first);
  EXPECT_FALSE(applied("xla@2026.06", pass).first);
  EXPECT_FALSE(applied("xla@2025.11", fail).first) << "older than `since`";
  EXPECT_FALSE(applied("xla@0.11.2", fail).first) << "it came back";
  EXPECT_EQ(applied("xla@0.11.2", pass), std::pair(true, std::string("xla@0.11.2")));
  EXPECT_EQ(applied("xla@2026.06", pass).second, "");
  EXPECT_FALSE(applied("another", fail).first) << "no release of that family";
  std::ofstream(path) << "expectation { query: 'a' verdict: 'fail' kind: BUG clause: 'pad.1' "
                         "reason: 'r' condition { before: 'xla@0' } }";
  EXPECT_THAT(std::string(ExpectationList::Load(path).status().message()),
              ::testing::HasSubstr("xla@0"));
}

TEST(ExpectationsTest, AFlakeNeedsAnEntryThatSaysSo) {
  std::string path = ::testing::TempDir() + "/flakes.textproto";
  std::FILE* file = std::fopen(path.c_str(), "w");
  std::fputs(
      "expectation { query: 'a/b' verdict: 'flake' kind: BUG clause: 'pad.1' reason: 'corrupted' "
      "}\n"
      "expectation { query: 'a/b:fails' verdict: 'fail' kind: BUG clause: 'pad.1' reason: 'known' "
      "}\n",
      file);
  std::fclose(file);
  auto list = ExpectationList::Load(path);
  ASSERT_TRUE(list.ok()) << list.status();
  auto expected = [&](const char* address, reports::VerdictKind kind, const char* flake) {
    reports::Verdict verdict;
    verdict.case_address = address;
    verdict.kind = kind;
    verdict.flake = flake;
    list->Apply(verdict, "");
    return verdict.expected;
  };
  EXPECT_TRUE(expected("a/b:c", reports::VerdictKind::kCrash, "crash, pass, pass"));
  EXPECT_FALSE(expected("a/b:c", reports::VerdictKind::kCrash, "")) << "it crashes every time";
  EXPECT_TRUE(expected("a/b:c", reports::VerdictKind::kPass, ""));
  EXPECT_FALSE(expected("a/other:c", reports::VerdictKind::kCrash, "crash, pass, pass"));
  EXPECT_TRUE(expected("a/b:fails", reports::VerdictKind::kFail, ""));
  EXPECT_TRUE(expected("a/b:fails", reports::VerdictKind::kCrash, "crash, fail, fail"));
  EXPECT_FALSE(expected("a/b:fails", reports::VerdictKind::kPass, "")) << "an unexpected pass";
}

TEST(ExpectationsTest, EntriesWithoutReasonAreRefused) {
  std::string path = ::testing::TempDir() + "/bad.textproto";
  std::FILE* file = std::fopen(path.c_str(), "w");
  std::fputs("expectation { query: 'a/b' verdict: 'fail' kind: BUG clause: 'pad.1' }\n", file);
  std::fclose(file);
  EXPECT_FALSE(ExpectationList::Load(path).ok());
  EXPECT_TRUE(ExpectationList::Load("/nonexistent").ok()) << "no file: nothing is expected";
}

// What loading a list of that text says.
absl::Status LoadedFrom(const std::string& name, const std::string& text, ExpectationList* list) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path) << text;
  auto loaded = ExpectationList::Load(path);
  if (loaded.ok() && list) *list = *std::move(loaded);
  return loaded.status();
}

TEST(ExpectationsTest, AMisspeltVerdictIsToldWithItsLine) {
  const absl::Status status = LoadedFrom("fial.textproto",
                                         "# list\nexpectation { query: 'a/b' verdict: 'fial' kind: "
                                         "BUG clause: 'pad.1' reason: 'r' }\n",
                                         nullptr);
  EXPECT_THAT(std::string(status.message()), HasSubstr("fial.textproto:2: verdict \"fial\""));
  EXPECT_THAT(std::string(status.message()), HasSubstr("did you mean fail?"));
}

TEST(ExpectationsTest, AQueryThatSelectsNoCaseIsNamed) {
  ExpectationList list;
  const std::string rest = "' verdict: 'fail' kind: BUG clause: 'rev.1' reason: 'r' }\n";
  ASSERT_TRUE(LoadedFrom("typo.textproto",
                         "expectation { query: 'movement/rev" + rest +
                             "expectation { query: 'movement/revv" + rest,
                         &list)
                  .ok());
  const std::vector<std::string> without =
      list.WithoutCase({"movement/pad:a", "movement/rev:dimensions"});
  ASSERT_EQ(without.size(), 1U) << "the other one selects a case";
  EXPECT_THAT(without[0], HasSubstr("typo.textproto:2: \"movement/revv\" selects no case; "
                                    "nearest: movement/rev"));
}

}  // namespace
}  // namespace hlocts::suites
