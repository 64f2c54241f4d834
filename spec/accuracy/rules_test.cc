// SPDX-License-Identifier: Apache-2.0
#include "spec/accuracy/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/ir/opcode.h"

namespace hlocts {
namespace {

// Every operation of spec/ops has a rule for each type that it allows, and the profiles are nested.
TEST(RulesTest, TableIsCompleteAndNested) { EXPECT_THAT(LintRules(), testing::IsEmpty()); }

TEST(RulesTest, TypesThatTheRowForbidsHaveNoRule) {
  EXPECT_EQ(RuleFor(Opcode::kTanh, PrimitiveType::kS32, Profile::kDefault).rule_class,
            RuleClass::kNone);
}

TEST(RulesTest, StrictGrantsNothing) {
  for (Opcode opcode : {Opcode::kAdd, Opcode::kMultiply, Opcode::kTanh, Opcode::kDot}) {
    EXPECT_EQ(RuleFor(opcode, PrimitiveType::kF32, Profile::kStrict).permissions, 0u)
        << OpcodeName(opcode);
  }
}

TEST(RulesTest, NumbersOfTheTable) {
  EXPECT_EQ(RuleText(RuleFor(Opcode::kTanh, PrimitiveType::kF32, Profile::kDefault)), "ulp(7)");
  EXPECT_EQ(RuleText(RuleFor(Opcode::kDivide, PrimitiveType::kF32, Profile::kDefault)), "ulp(2.5)");
  EXPECT_EQ(RuleText(RuleFor(Opcode::kAdd, PrimitiveType::kF32, Profile::kDefault)),
            "correctly-rounded");
  EXPECT_EQ(RuleText(RuleFor(Opcode::kAdd, PrimitiveType::kS32, Profile::kRelaxed)), "exact");
}

TEST(ProfileTest, FactsAreRead) {
  TargetFacts facts;
  EXPECT_TRUE(SetTargetFact("reduce.height=5", facts).ok());
  EXPECT_TRUE(SetTargetFact("convert.saturate", facts).ok());
  EXPECT_EQ(facts.reduce_height, 5);
  EXPECT_TRUE(facts.convert_saturate);
  EXPECT_FALSE(SetTargetFact("reduce.height=0", facts).ok());
  EXPECT_FALSE(SetTargetFact("fast", facts).ok());
}

}  // namespace
}  // namespace hlocts
