// SPDX-License-Identifier: Apache-2.0
// Tests the classes of wrong values, which distinguish failures.
#include <gtest/gtest.h>

#include "spec/judge/judge.h"
#include "spec/text/parser.h"

namespace hlocts {
namespace {

Literal Read(const char* type, const std::string& text) {
  auto literal = ParseLiteralWithShape(absl::StrCat(type, "[] ", text));
  EXPECT_TRUE(literal.ok()) << literal.status();
  return *std::move(literal);
}

WrongValue ValueOf(const char* type, const std::string& accepted, const std::string& actual) {
  ModuleAcceptance acceptance;
  LeafAcceptance leaf;
  leaf.set = SetArray(Read(type, accepted));
  leaf.shape = leaf.set.shape();
  acceptance.leaves.push_back(std::move(leaf));
  const JudgeResult result = JudgeLeaves(acceptance, {Read(type, actual)});
  EXPECT_EQ(result.outcome, Outcome::kFail) << actual;
  return result.first_failure ? result.first_failure->value : WrongValue::kNumber;
}

TEST(WrongValueTest, NumbersZerosInfinitiesAndNans) {
  EXPECT_EQ(ValueOf("f32", "1", "2"), WrongValue::kNumber);
  EXPECT_EQ(ValueOf("f32", "1", "-0"), WrongValue::kZero);
  EXPECT_EQ(ValueOf("bf16", "1", "-inf"), WrongValue::kInfinity);
  EXPECT_EQ(ValueOf("f64", "1", "nan"), WrongValue::kNan);
  EXPECT_EQ(ValueOf("s8", "1", "0"), WrongValue::kZero);
  EXPECT_EQ(ValueOf("pred", "true", "false"), WrongValue::kZero);
}

TEST(WrongValueTest, APartThatIsRightlyNanSaysNothing) {
  EXPECT_EQ(ValueOf("c64", "(1, nan)", "(0, nan)"), WrongValue::kNumber);
  EXPECT_EQ(ValueOf("c64", "(1, nan)", "(inf, nan)"), WrongValue::kInfinity);
  EXPECT_EQ(ValueOf("c64", "(1, 1)", "(0, nan)"), WrongValue::kNan);
  EXPECT_EQ(ValueOf("c64", "(1, 1)", "(0, 0)"), WrongValue::kZero);
}

}  // namespace
}  // namespace hlocts
