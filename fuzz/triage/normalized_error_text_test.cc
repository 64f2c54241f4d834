// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "backends/worker/last_words.h"
#include "fuzz/triage/failure_signature.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlocts::fuzz {
namespace {

// Returns an error as WorkerBackend does, from a message or the last lines of the log.
EngineError Said(const std::string& message, const std::string& log = "") {
  EngineError error{.message = message, .log = log};
  backends::ReadAssertion(error);
  return error;
}

TEST(TellingWordsTest, AssertionIsIdentifiedByCondition) {
  const std::string aborted = "worker killed by signal 6 (Aborted)";
  const std::string condition = "Assertion `width() == 8' failed.";
  const EngineError error =
      Said(aborted, "opt: a/Types.cpp:123: int f() const: " + condition + "\n #0 f");
  EXPECT_EQ(error.kind, ErrorKind::kAssertion);
  EXPECT_EQ(error.condition, "width() == 8");
  EXPECT_EQ(NormalizedErrorText(error), "Assertion width() == 8");
  EXPECT_EQ(NormalizedErrorText(Said(aborted, "opt: b/Types.cpp:7: int f() const: " + condition)),
            "Assertion width() == 8");
  EXPECT_EQ(
      NormalizedErrorText(Said("opt: a/Types.cpp:123: int f(): Assertion `idx < size()' failed.")),
      "Assertion idx < size()");
}

TEST(TellingWordsTest, AnAssertionThatIsCutKeepsItsBeginning) {
  const std::string condition(200, 'a');
  EXPECT_EQ(NormalizedErrorText(Said("opt: Assertion `" + condition)),
            "Assertion " + condition.substr(0, 80));
}

TEST(TellingWordsTest, AFailedCheckComesBeforeAnAssertion) {
  EXPECT_EQ(NormalizedErrorText(Said("Assertion `a' failed.\nF0000 here.cc:7] Check failed: b")),
            "Check failed: b");
}

}  // namespace
}  // namespace hlocts::fuzz
