// SPDX-License-Identifier: Apache-2.0
#include "suites/expectations_update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "absl/strings/str_replace.h"
#include "spec/base/status_testing.h"
#include "suites/expectations.h"

namespace hlocts::suites {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kExpectationsFile[] = R"(# About this engine.

expectation {
  query: "a/b:gone"
  verdict: "fail"
  kind: BUG
  clause: "pad.1"
  reason: "known"
}

# About the next.
expectation {
  query: "a/b:worse"
  verdict: "fail"
  kind: BUG
  clause: "pad.2"
  reason: "known"
}
)";

reports::Verdict Surprise(Outcome kind, const std::string& address) {
  reports::Verdict verdict;
  verdict.kind = kind;
  verdict.case_address = address;
  verdict.backend = "engine";
  verdict.backend_version = "1.0";
  verdict.reason = "said \"no\"";
  return verdict;
}

// The list is read again, so the clause of a new entry must be one of the documents.
TEST(ExpectationsUpdate, ANewEntryNamesTheSentenceThatTheFailureQuotes) {
  reports::Verdict verdict = Surprise(Outcome::kFail, "a/b:new");
  verdict.first_failure.emplace();
  verdict.first_failure->clause = verdict.first_failure->operation = "reshape";
  std::string done;
  EXPECT_THAT(UpdatedExpectations("", {verdict}, {}, &done), HasSubstr("clause: \"reshape."));
}

TEST(ExpectationsUpdate, AddsChangesAndTakesOutAndIsReadAgain) {
  Case one{.address = "a/b:new", .clauses = {"pad.3"}};
  std::vector<reports::Verdict> verdicts = {Surprise(Outcome::kPass, "a/b:gone"),
                                            Surprise(Outcome::kCrash, "a/b:worse"),
                                            Surprise(Outcome::kRejected, "a/b:new")};
  std::string done, text = UpdatedExpectations(kExpectationsFile, verdicts, {one}, &done);
  EXPECT_EQ(done, "1 added, 1 changed, 1 removed");
  EXPECT_THAT(text, HasSubstr("# About this engine."));
  EXPECT_THAT(text, HasSubstr("# About the next."));
  EXPECT_THAT(text, Not(HasSubstr("a/b:gone")));
  EXPECT_THAT(text, HasSubstr("clause: \"pad.3\""));
  EXPECT_THAT(text, HasSubstr("kind: UNIMPLEMENTED"));

  const std::string path = ::testing::TempDir() + "/expectations_update_test.textproto";
  std::ofstream(path) << text;
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto list, ExpectationList::Load(path));
  for (reports::Verdict& verdict : verdicts) {
    list.Apply(verdict, "");
    EXPECT_TRUE(verdict.expected) << verdict.case_address;
  }
  EXPECT_EQ(UpdatedExpectations(text, verdicts, {one}, &done), text);

  // A generated reason follows its verdict.
  verdicts = {Surprise(Outcome::kCrash, "a/b:new")};
  verdicts[0].reason = "signal 11";
  text = UpdatedExpectations(text, verdicts, {one}, &done);
  EXPECT_EQ(done, "0 added, 1 changed, 0 removed");
  EXPECT_THAT(text, AllOf(HasSubstr("Not explained yet: signal 11"), Not(HasSubstr("said"))));
}

TEST(ExpectationsUpdate, AQueryOfSeveralCasesIsLeftToAPerson) {
  const std::string text =
      "expectation {\n  query: \"a/b\"\n  verdict: \"fail\"\n  kind: BUG\n  clause: \"pad.1\"\n"
      "  reason: \"known\"\n}\n";
  std::string done;
  EXPECT_EQ(UpdatedExpectations(text, {Surprise(Outcome::kPass, "a/b:one")}, {}, &done), text);
}

TEST(ExpectationsUpdate, AnEntryOfAnotherReleaseIsNotThatOfThisEngine) {
  const std::string other = absl::StrReplaceAll(
      kExpectationsFile,
      {{"\"a/b:worse\"", "\"a/b:worse\"\n  condition { before: \"xla@0.11.2\" }"}});
  std::string done,
      text = UpdatedExpectations(other, {Surprise(Outcome::kFail, "a/b:worse")}, {}, &done);
  EXPECT_EQ(done, "1 added, 0 changed, 0 removed");
  EXPECT_THAT(text, HasSubstr(other.substr(0, other.size() - 1)));
}

TEST(ExpectationsUpdate, AFileWithoutEntriesIsWrittenToo) {
  const std::string path = ::testing::TempDir() + "/expectations_update_test_new.textproto";
  std::remove(path.c_str());
  EXPECT_THAT(*UpdateExpectationsFile(path, {}, {}), HasSubstr("0 added"));
  EXPECT_TRUE(ExpectationList::Load(path).ok());
  EXPECT_EQ(*UpdateExpectationsFile(path, {}, {}), "nothing to change");
}

}  // namespace
}  // namespace hlocts::suites
