// SPDX-License-Identifier: Apache-2.0
// Tests the names, counts, texts and freedoms of a JudgeResult. Verdicts are tested in cases/.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "reference/judge/cases_testing.h"
#include "spec/base/status_testing.h"

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
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto read, AcceptanceFromJsonl(AcceptanceToJsonl(*accepted)));
  EXPECT_EQ(AcceptedOr(JudgeLeaves(read, Parse({"f32[] 0"}))), kPass);
  EXPECT_EQ(AcceptedOr(JudgeLeaves(read, Parse({"f32[] 1.4210855e-14"}))), kPass);
  EXPECT_EQ(JudgeLeaves(read, Parse({"f32[] 1"})).outcome, kFail);
  EXPECT_FALSE(AcceptanceFromJsonl("[1,2]").ok());
}

TEST(JudgeTest, TheLastWideningCauseSurvivesJsonLines) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto module, ParseModule("ENTRY e { x = f32[2] parameter(0) ROOT r = f32[] dot(x, x),\n"
                               " lhs_contracting_dims={0}, rhs_contracting_dims={0},\n"
                               " algorithm=dot_bf16_bf16_f32_x3 }"));
  auto accepted = AcceptanceOf(*module, Parse({"f32[2] {1.3, 0.3}"}), JudgeOptions());
  ASSERT_TRUE(accepted.ok());
  const std::string text = Explain(*accepted, 0, 0);
  ASSERT_NE(text.find(std::string(WideningCauseName(kLastWideningCause))), std::string::npos);
  EXPECT_TRUE(AcceptanceFromJsonl(AcceptanceToJsonl(*accepted)).ok());
}

TEST(JudgeTest, ExplainNamesTheTerm) {
  auto module = ParseModule(UNARY("tanh", "f32"));
  ASSERT_TRUE(module.ok());
  auto accepted = AcceptanceOf(**module, Parse({"f32[] 0.5"}), JudgeOptions());
  ASSERT_TRUE(accepted.ok());
  std::string text = Explain(*accepted, 0, 0);
  EXPECT_NE(text.find("error bound of a function"), std::string::npos) << text;
  EXPECT_NE(text.find("ulp(7)"), std::string::npos) << text;
  EXPECT_NE(text.find("instruction: r (tanh)"), std::string::npos) << text;
}

std::string Nested(int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i) {
    std::string step =
        i == 0 ? std::string("add(x, x)") : absl::StrCat("call(x), to_apply=c", i - 1);
    absl::StrAppend(&text, "c", i, " { x = f32[] parameter(0) ROOT r = f32[] ", step, " }\n");
  }
  return absl::StrCat(text, "ENTRY e { x = f32[] parameter(0) ROOT r = f32[] call(x), to_apply=c",
                      depth - 1, " }");
}

TEST(DepthTest, CallsNestAsDeepAsTheEvaluatorGoes) {
  for (int depth : {10, 1000, 10000}) {
    std::string module = Nested(depth);
    EXPECT_EQ(JudgeCase({"", module.c_str(), {"f32[] 1.5"}, {"f32[] 3"}, kPass}).outcome, kPass);
    EXPECT_EQ(JudgeCase({"", module.c_str(), {"f32[] 1.5"}, {"f32[] 4"}, kFail}).outcome, kFail);
  }
}

struct Explained {
  const char* module;
  std::vector<const char*> arguments;
  const char* term;
  int lemma;
};

TEST(ExplainTest, NamesTheDominatingTerm) {
  const char* through_tanh =
      "ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1)\n"
      " t = f32[] tanh(x) ROOT r = f32[] add(t, y) }";
  const char* sum_of_f32 = ADD_BODY("f32")
      "ENTRY e { x = f32[3] parameter(0) i = f32[] constant(0)\n"
      " ROOT r = f32[] reduce(x, i), dimensions={0}, to_apply=add }";
  const char* sum_of_bf16 = ADD_BODY("bf16")
      "ENTRY e { x = bf16[3] parameter(0) i = bf16[] constant(0)\n"
      " ROOT r = bf16[] reduce(x, i), dimensions={0}, to_apply=add }";
  const char* scattered = ADD_BODY("f32")
      "ge {l = f32[] parameter(0) r = f32[] parameter(1) ROOT c = pred[] compare(l,r),direction=GE}\n"
      "ENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1) i = f32[] constant(0.25)\n"
      " ROOT r = f32[2] select-and-scatter(x,y,i), window={size=2 pad=1_0},select=ge,scatter=add }";
#define DOT_BY(algorithm)                                                                 \
  "ENTRY e { x = f32[3] parameter(0) y = f32[3] parameter(1) ROOT r = f32[] dot(x, y),\n" \
  " lhs_contracting_dims={0}, rhs_contracting_dims={0}, algorithm=" algorithm " }"
  const std::vector<const char*> thirds = {"f32[3] {1.3, 0.3, 1e-3}", "f32[3] {1.3, 0.3, 1e-3}"};
  const Explained cases[] = {
      {DOT_BY("dot_bf16_bf16_f32"), thirds, "operands rounded to fewer bits", 19},
      {DOT_BY("dot_bf16_bf16_f32_x3"), thirds, "operands split into parts", 40},
      {kFma, {"f32[] 1.0000001", "f32[] 1.0000001", "f32[] -1.0000002"}, "skipped rounding", 5},
      {kFma, {"f32[] 1.0000001", "f32[] 1.0000001", "f32[] 0.3"}, "skipped rounding", 5},
      {kFma, {"f32[] 1e-20", "f32[] 1e-20", "f32[] 0"}, "flushed subnormals", 14},
      {BINARY("multiply", "f32"), {"f32[] 1e-40", "f32[] 1e10"}, "flushed subnormals", 14},
      {BINARY("add", "f32"), {"f32[] 1e-40", "f32[] 0"}, "flushed subnormals", 14},
      {BINARY("divide", "f32"), {"f32[] 1e-38", "f32[] 3"}, "flushed subnormals", 14},
      {BINARY("divide", "f32"), {"f32[] 1", "f32[] 3"}, "error bound of a function", 17},
      {through_tanh, {"f32[] 0.5", "f32[] 1"}, "error bound of a function", 17},
      {sum_of_bf16, {"bf16[3] {1, 0.3, 1e-3}"}, "order of additions", 2},
      {sum_of_f32, {"f32[3] {1, 0.3, 1e-3}"}, "order of additions", 1},
      {scattered, {"f32[2] {3, 1}", "f32[2] {0.3, 1.3}"}, "order of additions", 1},
  };
  for (const Explained& c : cases) {
    auto module = ParseModule(c.module);
    ASSERT_TRUE(module.ok());
    auto accepted = AcceptanceOf(**module, Parse(c.arguments), JudgeOptions());
    ASSERT_TRUE(accepted.ok());
    std::string text = Explain(*accepted, 0, 0);
    EXPECT_NE(text.find(absl::StrCat("widened by:  ", c.term)), std::string::npos) << text;
    EXPECT_NE(text.find(absl::StrCat("lemma:       ", c.lemma, " (")), std::string::npos) << text;
    EXPECT_EQ(text.find("bound:       not proved") != std::string::npos, c.lemma == 17) << text;
  }
}

const char kAscending[] =
    "lt { a = f32[] parameter(0) b = f32[] parameter(1)\n"
    " ROOT r = pred[] compare(a, b), direction=LT }\n"
    "ENTRY e { x = f32[3] parameter(0)\n"
    " ROOT r = f32[3] sort(x), dimensions={0}, to_apply=lt }";
const char kSumOfThree[] =
    ADD_BODY("f64")
    "ENTRY e { x = f64[3] parameter(0) i = f64[] constant(0)\n"
    " ROOT r = f64[] reduce(x, i), dimensions={0}, to_apply=add }";

struct Named {
  Case of;
  std::vector<std::string> freedoms;
};

// A passing result names the freedoms that its elements use; a failing result names no freedom.
TEST(NamedFreedomsTest, AreThoseOfTheElements) {
  const char* to_integer = "ENTRY e { x = f32[] parameter(0) ROOT r = s32[] convert(x) }";
  const Named cases[] = {
      {{"exact", BINARY("add", "f32"), {"f32[] 1", "f32[] 2"}, {"f32[] 3"}, kPass}, {}},
      {{"ulps", UNARY("tanh", "f32"), {"f32[] 1"}, {"f32[] 0.7615942"}, kPass}, {}},
      {{"order", kSumOfThree, {"f64[3] {1, 0.1, 0.3}"}, {"f64[] 1.4000000000000001"}, kPass},
       {"reduce-order"}},
      {{"wrong", kSumOfThree, {"f64[3] {1, 0.1, 0.3}"}, {"f64[] 2"}, kFail}, {}},
      {{"flush", BINARY("add", "f32"), {"f32[] 1e-40", "f32[] 0"}, {"f32[] 0"}, kPass},
       {"subnormals"}},
      {{"zero", BINARY("add", "f32"), {"f32[] -0", "f32[] 0"}, {"f32[] -0"}, kPass},
       {"zero-signs"}},
      {{"ties", kAscending, {"f32[3] {0, -0, -1}"}, {"f32[3] {-1, 0, -0}"}, kPass}, {"sort-ties"}},
      {{"range", to_integer, {"f32[] 1e20"}, {"s32[] 7"}, kOpen}, {"float-to-integer-range"}},
  };
  for (const Named& c : cases) {
    JudgeResult result = JudgeCase(c.of);
    EXPECT_EQ(OutcomeName(AcceptedOr(result)), OutcomeName(c.of.outcome)) << c.of.name;
    EXPECT_EQ(result.freedoms, c.freedoms) << c.of.name;
  }
}

}  // namespace
}  // namespace hlocts::reference
