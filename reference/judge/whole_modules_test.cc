// SPDX-License-Identifier: Apache-2.0
// Outputs of whole modules of which sets say nothing, or too little.
#include "reference/judge/centred/likely.h"
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

// clang-format off
// A comparison of each number with itself, computed in two ways: either, everywhere.
const char kOpenMask[] = R"(ENTRY e {
  x = f32[4] parameter(0) l = f32[4] log(x) y = f32[4] exponential(l)
  m = pred[4] compare(y, x), direction=LT ROOT r = (pred[4], f32[4]) tuple(m, x) })";
// clang-format on

// A leaf of which nothing is known stays unchecked, whatever other leaves are exact.
TEST(OpenLeafTest, IsNoPass) {
  const JudgeResult result = JudgeCase({"",
                                        kOpenMask,
                                        {"f32[4] {1.7, 0.3, 5.1, 0.9}"},
                                        {"pred[4] {1, 0, 1, 0}", "f32[4] {1.7, 0.3, 5.1, 0.9}"},
                                        kOpen});
  EXPECT_EQ(result.outcome, Outcome::kInconclusive);
  EXPECT_TRUE(result.too_few_bits) << result.reason;
}

// 120 trips of y <- tanh(1.05 (A y)), A a rotation by a quarter in two dimensions of four: sets
// say nothing of the end, statistics of one rounding a trip do.
const char kLongRecurrence[] = R"(
c { t = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(t), index=0
    n = s32[] constant(120) ROOT r = pred[] compare(i, n), direction=LT }
b { t = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(t), index=0
    x = f32[4] get-tuple-element(t), index=1 o = s32[] constant(1) j = s32[] add(i, o)
    m = f32[4,4] constant({{0.9, -0.5, 0.1, 0}, {0.5, 0.9, 0, 0.1}, {0.1, 0, 0.8, -0.6}, {0, 0.1, 0.6, 0.8}})
    d = f32[4] dot(m, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} y = f32[4] tanh(d)
    ROOT s = (s32[], f32[4]) tuple(j, y) }
ENTRY e { x = f32[4] parameter(0) z = s32[] constant(0) t = (s32[], f32[4]) tuple(z, x)
  w = (s32[], f32[4]) while(t), condition=c, body=b
  ROOT r = f32[4] get-tuple-element(w), index=1 })";

TEST(LikelyTest, AnErrorBeyondWhatRoundingsProbablyMakeIsSuspect) {
  auto module = ParseModule(kLongRecurrence);
  ASSERT_TRUE(module.ok()) << module.status();
  const std::vector<Literal> arguments = Parse({"f32[4] {0.4, -0.2, 0.3, 0.7}"});
  auto result = Evaluate(**module, arguments);
  ASSERT_TRUE(result.ok());
  Literal output = *result;
  auto suspect = FindSuspect(**module, arguments, {&output, 1}, {});
  ASSERT_TRUE(suspect.ok()) << suspect.status();
  EXPECT_EQ(*suspect, "");
  output.mutable_data<float>()[2] *= 1.0003F;
  suspect = FindSuspect(**module, arguments, {&output, 1}, {});
  ASSERT_TRUE(suspect.ok());
  EXPECT_NE(suspect->find("output 0 at [2]"), std::string::npos) << *suspect;
}

}  // namespace
}  // namespace hlocts::reference
