// SPDX-License-Identifier: Apache-2.0
#include "spec/targets/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/accuracy/rules.h"
#include "spec/base/status_testing.h"
#include "spec/ir/opcode.h"

namespace hlocts {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TargetFacts FactsOf(absl::string_view target) {
  auto file = FindTarget(target);
  EXPECT_TRUE(file.ok()) << file.status();
  TargetFacts facts;
  if (!file.ok()) return facts;
  for (const std::string& fact : file->Facts()) {
    EXPECT_TRUE(SetTargetFact(fact, facts).ok()) << fact;
  }
  return facts;
}

TEST(TargetsTest, EveryFileIsRead) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto targets, LoadTargets());
  EXPECT_GE(targets.size(), 8u);
  for (const TargetFile& target : targets) EXPECT_FALSE(target.Facts().empty()) << target.name;
}

TEST(TargetsTest, IsFoundByItsEngine) {
  auto by_engine = FindTarget("xla");
  ASSERT_TRUE(by_engine.ok());
  EXPECT_EQ(by_engine->name, "xla_cpu");
  EXPECT_THAT(std::string(FindTarget("abacus").status().message()), HasSubstr("tpu_v6e"));
}

// A target also has the facts of the target that it extends. XLA:GPU extends no target, and
// compares without flushing subnormals.
TEST(TargetsTest, ExtendsAnother) {
  const std::vector<std::string> evaluator = FindTarget("hlo_evaluator")->Facts();
  for (const std::string& fact : FindTarget("xla_cpu")->Facts())
    EXPECT_THAT(evaluator, Contains(fact));
  EXPECT_THAT(FindTarget("xla_gpu")->Facts(), Not(Contains("compare.flush")));
}

TEST(TargetsTest, WhatIsRefused) {
  std::string extends;
  auto refusal = [&](const char* text) {
    return std::string(ParseTarget("t", text, &extends).status().message());
  };
  EXPECT_THAT(refusal("promise { fact: \"excess.16bit\" source: \"x\" }"), HasSubstr("title"));
  EXPECT_THAT(refusal("title: \"x\" promise { fact: \"excess.16bit\" }"), HasSubstr("source"));
  EXPECT_THAT(refusal("title: \"x\" promise { fact: \"fast\" source: \"x\" }"), HasSubstr("fast"));
  EXPECT_THAT(refusal("title: \"x\"\nfact: 3"), HasSubstr("t:2:"));
}

// The bounds of a TPU are wider than those of the default profile and within those of the relaxed
// profile. The strict profile ignores them.
TEST(TargetsTest, RowsOfATpu) {
  const TargetFacts facts = FactsOf("tpu_v2_v5e");
  const auto of = [&](Profile profile) {
    return RuleFor(Opcode::kExponential, PrimitiveType::kF32, profile, facts);
  };
  EXPECT_EQ(of(Profile::kDefault).ulps, 116);
  EXPECT_GE(of(Profile::kRelaxed).ulps, 116);
  EXPECT_EQ(of(Profile::kStrict).ulps, 1);
  EXPECT_TRUE(RuleFor(Opcode::kFloor, PrimitiveType::kBF16, Profile::kDefault, facts)
                  .Allows(kSkipRounding));
  EXPECT_FALSE(
      RuleFor(Opcode::kFloor, PrimitiveType::kF32, Profile::kDefault, facts).Allows(kSkipRounding));
}

// The relaxed profile covers everything that a target permits in the default profile.
TEST(TargetsTest, NoTargetLeavesRelaxed) {
  auto targets = LoadTargets();
  ASSERT_TRUE(targets.ok());
  for (const TargetFile& target : *targets) {
    const TargetFacts facts = FactsOf(target.name);
    for (const RowFact& fact : facts.rows) {
      if (fact.field != RowFact::Field::kUlps) continue;
      const Rule relaxed = RuleFor(fact.opcode, fact.type, Profile::kRelaxed);
      EXPECT_LE(fact.value, relaxed.ulps) << target.name << " " << OpcodeName(fact.opcode);
    }
  }
}

TEST(TargetsTest, WordsNameTargetsAndFacts) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(const auto facts, FactsOfWords("xla_gpu+rng.xla_layout"));
  EXPECT_THAT(facts, testing::IsSupersetOf({"excess.16bit", "dot.tf32", "rng.xla_layout"}));
  ASSERT_TRUE(FactsOfWords("").ok());
  EXPECT_THAT(*FactsOfWords(""), testing::IsEmpty());
  EXPECT_THAT(std::string(FactsOfWords("xla_gpu+abacus").status().message()),
              testing::AllOf(HasSubstr("abacus is not a fact"), HasSubstr("tpu_v6e")));
}

}  // namespace
}  // namespace hlocts
