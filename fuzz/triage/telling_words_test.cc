// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/telling_words.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlocts::fuzz {
namespace {

constexpr char kAborted[] = "worker killed by signal 6 (Aborted); it last wrote: ";

TEST(TellingWordsTest, AnAssertionIsToldByItsCondition) {
  const std::string condition = "Assertion `width() == 8' failed.";
  EXPECT_EQ(
      TellingWords(kAborted + ("opt: a/Types.cpp:123: int f() const: " + condition + "\n #0 f")),
      "Assertion width() == 8");
  EXPECT_EQ(TellingWords(kAborted + ("opt: b/Types.cpp:7: int f() const: " + condition)),
            "Assertion width() == 8");
  EXPECT_EQ(TellingWords("opt: a/Types.cpp:123: int f(): Assertion `idx < size()' failed."),
            "Assertion idx < size()");
}

TEST(TellingWordsTest, AnAssertionThatIsCutKeepsItsBeginning) {
  const std::string condition(200, 'a');
  EXPECT_EQ(TellingWords("opt: Assertion `" + condition), "Assertion " + condition.substr(0, 80));
}

TEST(TellingWordsTest, AFailedCheckComesBeforeAnAssertion) {
  EXPECT_EQ(TellingWords("Assertion `a' failed.\nF0000 here.cc:7] Check failed: b"),
            "Check failed: b");
}

}  // namespace
}  // namespace hlocts::fuzz
