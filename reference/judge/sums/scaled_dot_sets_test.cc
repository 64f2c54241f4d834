// SPDX-License-Identifier: Apache-2.0
// scaled-dot: blocks with their scales are accepted, rounded or not; forgotten and mistaken scales
// are not.
#include <string>

#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

#define BLOCKS                                                                \
  "ENTRY e { x = f8e4m3fn[1,4] parameter(0) y = f8e4m3fn[1,4] parameter(1)\n" \
  " s = f8e8m0fnu[1,2] parameter(2) t = f8e8m0fnu[1,2] parameter(3)\n"        \
  " ROOT r = f32[1,1] scaled-dot(x, y, s, t), lhs_contracting_dims={1}, "     \
  "rhs_contracting_dims={1} }"
#define IN_BLOCKS                                                                                \
  {                                                                                              \
    "f8e4m3fn[1,4] {{1, 2, 3, 4}}", "f8e4m3fn[1,4] {{1, 1, 1, 1}}", "f8e8m0fnu[1,2] {{2, 0.5}}", \
        "f8e8m0fnu[1,2] {{1, 4}}"                                                                \
  }
// One product, of a scale that is no power of two: (1 + 2^-7)(1 + 2^-3) has 11 bits.
#define ODD_SCALE                                                         \
  "ENTRY e { x = bf16[1,1] parameter(0) y = bf16[1,1] parameter(1)\n"     \
  " s = f8e4m3fn[1,1] parameter(2) t = f8e4m3fn[1,1] parameter(3)\n"      \
  " ROOT r = f32[1,1] scaled-dot(x, y, s, t), lhs_contracting_dims={1}, " \
  "rhs_contracting_dims={1} }"
#define IN_ODD_SCALE \
  { "bf16[1,1] {{1.0078125}}", "bf16[1,1] {{1}}", "f8e4m3fn[1,1] {{1.125}}", "f8e4m3fn[1,1] {{1}}" }
#define SCALAR                                                            \
  "ENTRY e { x = f32[1,1] parameter(0) s = f32[] parameter(1)\n"          \
  " ROOT r = f32[1,1] scaled-dot(x, x, s, s), lhs_contracting_dims={1}, " \
  "rhs_contracting_dims={1} }"

// An operand that is computed: 16 e is 43.49250925...
#define COMPUTED                                                          \
  "ENTRY e { x = f32[1,1] parameter(0) y = f32[1,1] parameter(1)\n"       \
  " e = f32[1,1] exponential(x) s = f32[1,1] constant({{4}})\n"           \
  " ROOT r = f32[1,1] scaled-dot(e, y, s, s), lhs_contracting_dims={1}, " \
  "rhs_contracting_dims={1} }"

const Case kScaled[] = {
    {"blocks", BLOCKS, IN_BLOCKS, {"f32[1,1] {{20}}"}, kPass, kStrict},
    {"scales_forgotten", BLOCKS, IN_BLOCKS, {"f32[1,1] {{10}}"}, kFail},
    {"scales_of_the_other_block", BLOCKS, IN_BLOCKS, {"f32[1,1] {{57.5}}"}, kFail},
    {"another_sum", BLOCKS, IN_BLOCKS, {"f32[1,1] {{20.5}}"}, kFail, kRelaxed},
    {"kept", ODD_SCALE, IN_ODD_SCALE, {"f32[1,1] {{1.13378906}}"}, kPass, kStrict},
    {"rounded", ODD_SCALE, IN_ODD_SCALE, {"f32[1,1] {{1.1328125}}"}, kPass, kStrict},
    {"rounded_the_wrong_way", ODD_SCALE, IN_ODD_SCALE, {"f32[1,1] {{1.140625}}"}, kFail},
    {"computed",
     COMPUTED,
     {"f32[1,1] {{1}}", "f32[1,1] {{1}}"},
     {"f32[1,1] {{43.4925092}}"},
     kPass},
    {"computed_wrong",
     COMPUTED,
     {"f32[1,1] {{1}}", "f32[1,1] {{1}}"},
     {"f32[1,1] {{43.493}}"},
     kFail},
    {"no_scales", SCALAR, {"f32[1,1] {{3}}", "f32[] 1"}, {"f32[1,1] {{9}}"}, kPass, kStrict},
    {"no_scales_wrong", SCALAR, {"f32[1,1] {{3}}", "f32[] 1"}, {"f32[1,1] {{8}}"}, kFail},
    {"what_a_scalar_means", SCALAR, {"f32[1,1] {{3}}", "f32[] 2"}, {"f32[1,1] {{9}}"}, kOpen},
};

using ScaledDotSetsTest = AcceptanceTest;
TEST_P(ScaledDotSetsTest, AcceptsScaledBlocksAndRefusesMistakenScales) {
  const JudgeResult result = JudgeCase(GetParam());
  EXPECT_EQ(result.outcome, GetParam().outcome) << result.reason;
}
INSTANTIATE_TEST_SUITE_P(, ScaledDotSetsTest, testing::ValuesIn(kScaled),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hlocts::reference
