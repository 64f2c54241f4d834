// SPDX-License-Identifier: Apache-2.0
// Named rewrites: what a compiler makes of a pattern is acceptable where the profile says so.
#include <gtest/gtest.h>

#include <limits>

#include "absl/strings/str_cat.h"
#include "reference/judge/module_sets.h"
#include "spec/text/parser.h"

namespace hlocts::reference {
namespace {

struct Row {
  const char* name;
  const char* body;  // of x (and y), root last
  float x, y;
  float rewritten;  // what the rewrite gives, and the text does not
  Profile from;     // the strictest profile that takes it
};

constexpr Profile kDefault = Profile::kDefault, kRelaxed = Profile::kRelaxed;
const float kInf = std::numeric_limits<float>::infinity();

const Row kRows[] = {
    {"log-of-exponential", "e1 = f32[] exponential(x) ROOT r = f32[] log(e1)", 200, 0, 200,
     kRelaxed},
    {"log-of-power", "p = f32[] power(x, y) ROOT r = f32[] log(p)", 10, 100, 230.258514f, kRelaxed},
    {"product-of-exponentials",
     "a = f32[] exponential(x) b = f32[] exponential(y) ROOT r = f32[] multiply(a, b)", 100, -100,
     1, kRelaxed},
    {"quotient-of-exponentials",
     "a = f32[] exponential(x) b = f32[] exponential(y) ROOT r = f32[] divide(a, b)", 100, 100, 1,
     kRelaxed},
    {"square-root-of-square", "m = f32[] multiply(x, x) ROOT r = f32[] sqrt(m)", -1e30f, 0, 1e30f,
     kRelaxed},
    {"nested-quotient", "d = f32[] divide(x, y) ROOT r = f32[] divide(d, x)", 1e30f, 1e-30f, 1e30f,
     kRelaxed},
    {"constant-factors",
     "c = f32[] constant(1e20) d = f32[] constant(1e-20) m = f32[] multiply(x, c) "
     "ROOT r = f32[] multiply(m, d)",
     1e30f, 0, 1e30f, kRelaxed},
    {"constant-difference",
     "c = f32[] constant(3e38) a = f32[] add(x, c) ROOT r = f32[] subtract(a, c)", 2e38f, 0, 2e38f,
     kRelaxed},
    {"power-half", "c = f32[] constant(0.5) ROOT r = f32[] power(x, c)", -0.0f, 0, -0.0f, kRelaxed},
    {"reciprocal", "c = f32[] constant(3e38) ROOT r = f32[] divide(x, c)", 3e38f, 0, 0, kRelaxed},
};

Outcome JudgeRow(const Row& row, float output, Profile profile) {
  auto module = ParseModule(absl::StrCat(
      "HloModule m\nENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) ", row.body, " }"));
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return Outcome::kError;
  JudgeOptions options;
  options.profile = profile;
  Literal x = Literal::Scalar(PrimitiveType::kF32, row.x);
  Literal y = Literal::Scalar(PrimitiveType::kF32, row.y);
  Literal out = Literal::Scalar(PrimitiveType::kF32, output);
  auto result = Judge(**module, {x, y}, {out}, options);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return Outcome::kError;
  return result->too_few_bits ? Outcome::kPass : result->outcome;  // accepted, of one element
}

TEST(RewriteSetsTest, TheReplacementsValueFromItsProfileOn) {
  for (const Row& row : kRows) {
    for (Profile profile : kAllProfiles) {
      Outcome expected = profile >= row.from ? Outcome::kPass : Outcome::kFail;
      EXPECT_EQ(JudgeRow(row, row.rewritten, profile), expected)
          << row.name << " in " << ProfileName(profile);
    }
  }
}

TEST(RewriteSetsTest, TheTextsOwnValueStays) {
  EXPECT_EQ(JudgeRow(kRows[0], kInf, kRelaxed), Outcome::kPass);
  EXPECT_EQ(JudgeRow(kRows[4], kInf, kRelaxed), Outcome::kPass);
  EXPECT_EQ(JudgeRow(kRows[9], 1, kDefault), Outcome::kPass);
}

TEST(RewriteSetsTest, NothingElseIsTaken) {
  for (const Row& row : kRows) {
    EXPECT_EQ(JudgeRow(row, -12345, kRelaxed), Outcome::kFail) << row.name;
  }
}

}  // namespace
}  // namespace hlocts::reference
