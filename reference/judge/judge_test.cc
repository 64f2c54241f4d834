// SPDX-License-Identifier: Apache-2.0
// A judgement beside its verdict: names, counts, texts, devices. Verdicts are in cases/.
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

const char kFma[] =
    "ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) z = f32[] parameter(2)\n"
    " p = f32[] multiply(x, y) ROOT r = f32[] add(p, z) }";

TEST(JudgeTest, FailureNamesRuleClauseAndInstruction) {
  JudgeResult result = JudgeCase({"", UNARY("tanh", "f32"), {"f32[] 0.5"}, {"f32[] 0.6"}, kFail});
  ASSERT_TRUE(result.first_failure.has_value());
  EXPECT_EQ(result.first_failure->rule, "ulp(7)");
  EXPECT_EQ(result.first_failure->clause, "elementwise_unary");
  EXPECT_EQ(result.first_failure->instruction, "r");
  EXPECT_EQ(result.first_failure->actual, "0.6");
  EXPECT_EQ(result.first_failure->actual_bits, "0x3f19999a");
}

TEST(JudgeTest, PointOfF32Is32Bits) {
  JudgeResult result =
      JudgeCase({"", BINARY("add", "f32"), {"f32[] 1", "f32[] 2"}, {"f32[] 3"}, kPass});
  EXPECT_EQ(result.bits_checked_mean, 32);
  EXPECT_EQ(result.effective.median, 24);
  EXPECT_EQ(result.unspecified_elements, 0);
}

TEST(JudgeTest, FreedomsAreCounted) {
  JudgeResult result = JudgeCase({"",
                                  "ENTRY e { x = f32[2] parameter(0) ROOT r = s32[2] convert(x) }",
                                  {"f32[2] {1, 1e20}"},
                                  {"s32[2] {1, 3}"},
                                  kPass});
  EXPECT_EQ(result.elements, 2);
  EXPECT_EQ(result.unspecified_elements, 1);
  EXPECT_EQ(result.bits_checked_mean, 16);
}

TEST(JudgeTest, AcceptanceSurvivesJsonLines) {
  auto module = ParseModule(kFma);
  ASSERT_TRUE(module.ok());
  auto arguments = Parse({"f32[] 1.0000001", "f32[] 1.0000001", "f32[] -1.0000002"});
  auto accepted = AcceptanceOf(**module, arguments, JudgeOptions());
  ASSERT_TRUE(accepted.ok());
  auto read = AcceptanceFromJsonl(AcceptanceToJsonl(*accepted));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(AcceptedOr(JudgeLeaves(*read, Parse({"f32[] 0"}))), kPass);
  EXPECT_EQ(AcceptedOr(JudgeLeaves(*read, Parse({"f32[] 1.4210855e-14"}))), kPass);
  EXPECT_EQ(JudgeLeaves(*read, Parse({"f32[] 1"})).outcome, kFail);
  EXPECT_FALSE(AcceptanceFromJsonl("[1,2]").ok());
}

TEST(JudgeTest, ExplainNamesTheTerm) {
  auto module = ParseModule(UNARY("tanh", "f32"));
  ASSERT_TRUE(module.ok());
  auto accepted = AcceptanceOf(**module, Parse({"f32[] 0.5"}), JudgeOptions());
  ASSERT_TRUE(accepted.ok());
  std::string text = Explain(*accepted, 0, 0);
  EXPECT_NE(text.find("ulps of a function"), std::string::npos) << text;
  EXPECT_NE(text.find("ulp(7)"), std::string::npos) << text;
  EXPECT_NE(text.find("elementwise_unary"), std::string::npos) << text;
}

TEST(JudgeTest, AllReduceOverTwoReplicas) {
  auto module = ParseModule(ADD_BODY(
      "f32") "ENTRY e { x = f32[2] parameter(0)\n"
             " ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=add }");
  ASSERT_TRUE(module.ok()) << module.status();
  JudgeOptions options;
  options.replicas = 2;
  std::vector<std::vector<Literal>> arguments = {Parse({"f32[2] {1, 2}"}),
                                                 Parse({"f32[2] {10, 20}"})};
  auto accepted = AcceptanceOfDevices(**module, arguments, options);
  ASSERT_TRUE(accepted.ok()) << accepted.status();
  ASSERT_EQ(accepted->size(), 2u);
  EXPECT_EQ(JudgeLeaves((*accepted)[1], Parse({"f32[2] {11, 22}"})).outcome, kPass);
  EXPECT_EQ(JudgeLeaves((*accepted)[1], Parse({"f32[2] {11, 21}"})).outcome, kFail);
}

TEST(JudgeTest, CollectivePermuteGivesZeroWithoutSource) {
  auto module = ParseModule(
      "ENTRY e { x = f32[2] parameter(0)\n"
      " ROOT r = f32[2] collective-permute(x), source_target_pairs={{0,1}} }");
  ASSERT_TRUE(module.ok()) << module.status();
  JudgeOptions options;
  options.replicas = 2;
  std::vector<std::vector<Literal>> arguments = {Parse({"f32[2] {1, 2}"}),
                                                 Parse({"f32[2] {10, 20}"})};
  auto accepted = AcceptanceOfDevices(**module, arguments, options);
  ASSERT_TRUE(accepted.ok()) << accepted.status();
  EXPECT_EQ(JudgeLeaves((*accepted)[0], Parse({"f32[2] {0, 0}"})).outcome, kPass);
  EXPECT_EQ(JudgeLeaves((*accepted)[1], Parse({"f32[2] {1, 2}"})).outcome, kPass);
  EXPECT_EQ(JudgeLeaves((*accepted)[1], Parse({"f32[2] {10, 20}"})).outcome, kFail);
}

// Elements move with their sets; offsets and sizes only say where to.
TEST(JudgeTest, RaggedSlicesKeepTheirSets) {
  auto module = ParseModule(
      "ENTRY e { x = f32[2] parameter(0)\n t = f32[2] exponential(x)\n"
      " y = f32[3] constant({0, 0, 7})\n n = s32[2] constant({1, 1})\n"
      " a = s32[2] constant({0, 1})\n o = s32[2] parameter(1)\n"
      " ROOT r = f32[3] ragged-all-to-all(t, y, a, n, o, n), replica_groups={{0,1}} }");
  ASSERT_TRUE(module.ok()) << module.status();
  JudgeOptions options;
  options.replicas = 2;
  std::vector<std::vector<Literal>> arguments = {Parse({"f32[2] {0, 1}", "s32[2] {0, 0}"}),
                                                 Parse({"f32[2] {0, 2}", "s32[2] {1, 1}"})};
  auto accepted = AcceptanceOfDevices(**module, arguments, options);
  ASSERT_TRUE(accepted.ok()) << accepted.status();
  EXPECT_EQ(JudgeLeaves((*accepted)[0], Parse({"f32[3] {1, 1, 7}"})).outcome, kPass);
  EXPECT_EQ(JudgeLeaves((*accepted)[1], Parse({"f32[3] {2.7182817, 7.389056, 7}"})).outcome, kPass);
  EXPECT_EQ(JudgeLeaves((*accepted)[1], Parse({"f32[3] {7.389056, 2.7182817, 7}"})).outcome, kFail);
  EXPECT_EQ(JudgeLeaves((*accepted)[1], Parse({"f32[3] {2.7182817, 7.389056, 0}"})).outcome, kFail);
}

}  // namespace
}  // namespace hlocts::reference
