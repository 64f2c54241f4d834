// SPDX-License-Identifier: Apache-2.0
// Permissions at sizes where they show: `result_accuracy`, zeros in the holes of a kernel, the
// modulus by squares, roundings that are skipped before operations that only read, long quotients.
// Beside each legal execution stands a wrong answer that stays refused.
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

#define EXP(attribute) \
  "ENTRY e { x = f32[] parameter(0) ROOT r = f32[] exponential(x)" attribute " }"
const char kTolerant[] = EXP(", result_accuracy={tolerance={atol=0,rtol=0.001,ulps=0}}");
const char kAbsolutely[] = EXP(", result_accuracy={tolerance={atol=0.25,rtol=0,ulps=0}}");
const char kOneUlp[] = EXP(", result_accuracy={tolerance={atol=0,rtol=0,ulps=1}}");
const char kTight[] = EXP(", result_accuracy={tolerance={atol=0,rtol=1e-9,ulps=0}}");
const char kHighest[] = EXP(", result_accuracy={mode=highest}");
// The operand is 0.01, or 0 where 1e-40 is flushed; its cube root 0.2154 is met within 0.4309.
const char kTwice[] =
    "ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) p = f32[] multiply(x, y)\n"
    " ROOT r = f32[] cbrt(p), result_accuracy={tolerance={atol=0,rtol=2,ulps=0}} }";
// exp(1) = 2.71828183; an ulp is 2.4e-7.
const Case kAccuracy[] = {
    {"tolerance_used", kTolerant, {"f32[] 1"}, {"f32[] 2.7196"}, kPass, kStrict},
    {"tolerance_used_in_default", kTolerant, {"f32[] 1"}, {"f32[] 2.7196"}, kPass},
    {"tolerance_exceeded", kTolerant, {"f32[] 1"}, {"f32[] 2.7212"}, kFail, kRelaxed},
    {"absolute_tolerance", kAbsolutely, {"f32[] 1"}, {"f32[] 2.5"}, kPass},
    {"absolute_tolerance_exceeded", kAbsolutely, {"f32[] 1"}, {"f32[] 2.4"}, kFail, kRelaxed},
    {"more_than_the_number_itself", kTwice, {"f32[] 1e38", "f32[] 1e-40"}, {"f32[] -0.2"}, kPass},
    {"more_than_that", kTwice, {"f32[] 1e38", "f32[] 1e-40"}, {"f32[] -0.22"}, kFail, kRelaxed},
    {"ulps_obeyed", kOneUlp, {"f32[] 1"}, {"f32[] 2.71828198"}, kPass},
    {"ulps_exceeded", kOneUlp, {"f32[] 1"}, {"f32[] 2.71828246"}, kFail},
    {"ulps_exceeded_in_relaxed", kOneUlp, {"f32[] 1"}, {"f32[] 2.71828246"}, kFail, kRelaxed},
    {"below_half_an_ulp", kTight, {"f32[] 1"}, {"f32[] 2.71828175"}, kPass, kStrict},
    {"below_half_an_ulp_exceeded", kTight, {"f32[] 1"}, {"f32[] 2.71828198"}, kFail},
    {"highest_in_relaxed", kHighest, {"f32[] 1"}, {"f32[] 2.7183"}, kFail, kRelaxed},
    {"highest_obeyed", kHighest, {"f32[] 1"}, {"f32[] 2.71828246"}, kPass, kRelaxed},
    {"nothing_demanded", EXP(""), {"f32[] 1"}, {"f32[] 2.7183"}, kPass, kRelaxed},
};

const char kKernelHoles[] =
    "ENTRY e { x = f32[1,7,1] parameter(0) k = f32[2,1,1] parameter(1)\n"
    " ROOT r = f32[1,4,1] convolution(x, k), window={size=2 rhs_dilate=3}, "
    "dim_labels=b0f_0io->b0f }";
const char kPadded[] =
    "ENTRY e { x = f32[1,3,1] parameter(0) k = f32[2,1,1] parameter(1)\n"
    " ROOT r = f32[1,4,1] convolution(x, k), window={size=2 pad=1_1}, dim_labels=b0f_0io->b0f }";
const std::vector<const char*> kInfinityAtTwo = {
    "f32[1,7,1] {{{1}, {2}, {inf}, {4}, {5}, {6}, {7}}}", "f32[2,1,1] {{{1}}, {{1}}}"};
const std::vector<const char*> kInfiniteTap = {"f32[1,3,1] {{{1}, {2}, {3}}}",
                                               "f32[2,1,1] {{{1}}, {{inf}}}"};
const Case kHoles[] = {
    {"holes_absent",
     kKernelHoles,
     kInfinityAtTwo,
     {"f32[1,4,1] {{{5}, {7}, {inf}, {11}}}"},
     kPass,
     kStrict},
    {"holes_are_zeros",
     kKernelHoles,
     kInfinityAtTwo,
     {"f32[1,4,1] {{{nan}, {nan}, {inf}, {11}}}"},
     kPass,
     kStrict},
    {"no_hole_reaches_the_last",
     kKernelHoles,
     kInfinityAtTwo,
     {"f32[1,4,1] {{{5}, {7}, {inf}, {nan}}}"},
     kFail},
    {"a_tap_is_no_hole",
     kKernelHoles,
     kInfinityAtTwo,
     {"f32[1,4,1] {{{5}, {7}, {nan}, {11}}}"},
     kFail},
    {"padding_times_infinity",
     kPadded,
     kInfiniteTap,
     {"f32[1,4,1] {{{inf}, {inf}, {inf}, {nan}}}"},
     kPass},
    {"padding_before_the_tap_is_finite",
     kPadded,
     kInfiniteTap,
     {"f32[1,4,1] {{{nan}, {inf}, {inf}, {3}}}"},
     kFail},
};

#define ABS64 "ENTRY e { x = c64[] parameter(0) ROOT r = f32[] abs(x) }"
#define ABS128 "ENTRY e { x = c128[] parameter(0) ROOT r = f64[] abs(x) }"
const Case kModuli[] = {
    {"c64_squares_overflow", ABS64, {"c64[] (1e20, 1e20)"}, {"f32[] inf"}, kPass},
    {"c64_squares_do_not", ABS64, {"c64[] (1e19, 1e18)"}, {"f32[] inf"}, kFail},
    {"c128_squares_overflow", ABS128, {"c128[] (1e200, 1e200)"}, {"f64[] inf"}, kPass},
    {"c128_squares_do_not", ABS128, {"c128[] (1e150, 1e150)"}, {"f64[] inf"}, kFail},
    {"c128_no_squares_in_strict", ABS128, {"c128[] (1e200, 1e200)"}, {"f64[] inf"}, kFail, kStrict},
    {"one_square_flushed", ABS64, {"c64[] (1.2e-19, 1e-19)"}, {"f32[] 1.2e-19"}, kPass},
    {"one_square_flushed_of_larger", ABS64, {"c64[] (1.2e-18, 1e-18)"}, {"f32[] 1.2e-18"}, kFail},
    {"gradual_above", ABS64, {"c64[] (1.1e-22, 3e-23)"}, {"f32[] 1.1837645e-22"}, kPass},
    {"squares_vanish", ABS64, {"c64[] (1.1e-22, 3e-23)"}, {"f32[] 0"}, kPass},
    {"squares_far_above", ABS64, {"c64[] (1.1e-22, 3e-23)"}, {"f32[] 1e-18"}, kFail},
    {"sign_of_overflown_squares",
     UNARY("sign", "c64"),
     {"c64[] (1e20, -1e20)"},
     {"c64[] (0, -0)"},
     kPass},
    {"sign_in_range", UNARY("sign", "c64"), {"c64[] (1e18, 1e18)"}, {"c64[] (0, 0)"}, kFail},
    {"sign_of_vanished_squares",
     UNARY("sign", "c64"),
     {"c64[] (1e-22, 1e-22)"},
     {"c64[] (inf, inf)"},
     kOpen},
};

// 225.17563 as bf16 is 225; 218.4 is 218.
#define READS(result, operation)                                                     \
  "ENTRY e { x = f32[] parameter(0) y = bf16[] parameter(1) a = bf16[] convert(x)\n" \
  " c = " operation " ROOT r = " result " }"
const char kFloor[] = READS("bf16[] copy(c)", "bf16[] floor(a)");
const char kRoundEven[] = READS("bf16[] copy(c)", "bf16[] round-nearest-even(a)");
const char kSign[] = READS("bf16[] copy(c)", "bf16[] sign(a)");
const char kToInteger[] = READS("s32[] copy(c)", "s32[] convert(a)");
const char kLess[] = READS("pred[] copy(c)", "pred[] compare(a, y), direction=LT");
const char kRemainder[] = READS("bf16[] copy(c)", "bf16[] remainder(a, y)");
const char kMaximum[] = READS("f32[] convert(c)", "bf16[] maximum(a, y)");
const char kAbs[] = READS("f32[] convert(c)", "bf16[] abs(a)");
const char kClamp[] = READS("f32[] convert(c)", "bf16[] clamp(y, a, a)");
const char kGreatest[] =
    "max { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] maximum(a, b) }\n"
    "ENTRY e { x = f32[3] parameter(0) i = bf16[] constant(-inf) a = bf16[3] convert(x)\n"
    " m = bf16[] reduce(a, i), dimensions={0}, to_apply=max ROOT r = f32[] convert(m) }";
const char kSum16[] =
    "ENTRY e { x = bf16[] parameter(0) y = bf16[] parameter(1) z = bf16[] parameter(2)\n"
    " s = bf16[] multiply(x, y) ROOT r = bf16[] multiply(s, z) }";
const char kSum32[] =
    "ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) s = f32[] multiply(x, y)\n"
    " t = f32[] floor(s) ROOT r = f32[] copy(t) }";
const char kAngleOfRounded[] =
    "ENTRY e { x = f8e4m3b11fnuz[] parameter(0) y = f8e4m3b11fnuz[] round-nearest-even(x)\n"
    " ROOT r = f8e4m3b11fnuz[] atan2(y, x) }";
TargetFacts Facts(std::initializer_list<const char*> texts) {
  TargetFacts facts;
  for (const char* text : texts) SetTargetFact(text, facts).IgnoreError();
  return facts;
}
TargetFacts Excess() { return Facts({"excess.16bit"}); }
constexpr Profile kDefault = Profile::kDefault;
const Case kExcess[] = {
    {"floor", kFloor, {"f32[] 218.6", "bf16[] 0"}, {"bf16[] 218"}, kPass, kRelaxed},
    {"floor_rounded", kFloor, {"f32[] 218.6", "bf16[] 0"}, {"bf16[] 219"}, kPass, kRelaxed},
    {"floor_wrong", kFloor, {"f32[] 218.6", "bf16[] 0"}, {"bf16[] 217"}, kFail, kRelaxed},
    {"floor_in_default", kFloor, {"f32[] 218.6", "bf16[] 0"}, {"bf16[] 218"}, kFail},
    {"floor_by_fact",
     kFloor,
     {"f32[] 218.6", "bf16[] 0"},
     {"bf16[] 218"},
     kPass,
     kDefault,
     Excess()},
    {"floor_by_fact_wrong",
     kFloor,
     {"f32[] 218.6", "bf16[] 0"},
     {"bf16[] 217"},
     kFail,
     kDefault,
     Excess()},
    {"no_fact_in_strict",
     kFloor,
     {"f32[] 218.6", "bf16[] 0"},
     {"bf16[] 218"},
     kFail,
     kStrict,
     Excess()},
    {"round_even", kRoundEven, {"f32[] 200.6", "bf16[] 0"}, {"bf16[] 201"}, kPass, kRelaxed},
    {"round_even_wrong", kRoundEven, {"f32[] 200.6", "bf16[] 0"}, {"bf16[] 202"}, kFail, kRelaxed},
    {"sign", kSign, {"f32[] 1e-41", "bf16[] 0"}, {"bf16[] 1"}, kPass, kRelaxed},
    {"sign_wrong", kSign, {"f32[] 1e-41", "bf16[] 0"}, {"bf16[] -1"}, kFail, kRelaxed},
    {"to_integer", kToInteger, {"f32[] 218.6", "bf16[] 0"}, {"s32[] 218"}, kPass, kRelaxed},
    {"to_integer_wrong", kToInteger, {"f32[] 218.6", "bf16[] 0"}, {"s32[] 220"}, kFail, kRelaxed},
    {"compare", kLess, {"f32[] 218.6", "bf16[] 219"}, {"pred[] true"}, kOpen, kRelaxed},
    {"compare_wrong", kLess, {"f32[] 219.4", "bf16[] 219"}, {"pred[] true"}, kFail, kRelaxed},
    {"remainder", kRemainder, {"f32[] 218.6", "bf16[] 3"}, {"bf16[] 2.59375"}, kPass, kRelaxed},
    {"remainder_wrong", kRemainder, {"f32[] 218.6", "bf16[] 3"}, {"bf16[] 3.5"}, kFail, kRelaxed},
    {"maximum", kMaximum, {"f32[] 225.17563", "bf16[] 3"}, {"f32[] 225.17563"}, kPass, kRelaxed},
    {"maximum_wrong", kMaximum, {"f32[] 225.17563", "bf16[] 3"}, {"f32[] 225.2"}, kFail, kRelaxed},
    {"maximum_stored",
     READS("bf16[] copy(c)", "bf16[] maximum(a, y)"),
     {"f32[] 225.9", "bf16[] 3"},
     {"bf16[] 225"},
     kFail,
     kRelaxed},
    {"abs", kAbs, {"f32[] -225.17563", "bf16[] 3"}, {"f32[] 225.17563"}, kPass, kRelaxed},
    {"abs_wrong", kAbs, {"f32[] -225.17563", "bf16[] 3"}, {"f32[] 224.9"}, kFail, kRelaxed},
    {"clamp", kClamp, {"f32[] 225.17563", "bf16[] 3"}, {"f32[] 225.17563"}, kPass, kRelaxed},
    {"greatest", kGreatest, {"f32[3] {1, 225.17563, 3}"}, {"f32[] 225.17563"}, kPass, kRelaxed},
    {"greatest_wrong", kGreatest, {"f32[3] {1, 225.17563, 3}"}, {"f32[] 225.4"}, kFail, kRelaxed},
    // (1 + 2^-7)^3 by way of f32 is 1.0236..., 1 + 3 2^-7; rounded between, 1 + 3 2^-7 too;
    // 1.4140625 * 1.4140625 = 1.99957 stays below 2 where it is not rounded.
    {"one_rounding",
     kSum16,
     {"bf16[] 1.4140625", "bf16[] 1.4140625", "bf16[] 1.9921875"},
     {"bf16[] 3.984375"},
     kPass,
     kDefault,
     Excess()},
    // Rounded to a whole number -0.07 is -0, which is 0 once this type stores it.
    {"zero_before_it_lost_its_sign",
     kAngleOfRounded,
     {"f8e4m3b11fnuz[] -0.0703125"},
     {"f8e4m3b11fnuz[] -3.25"},
     kPass,
     kDefault,
     Excess()},
    {"zero_read_as_it_is_stored",
     kAngleOfRounded,
     {"f8e4m3b11fnuz[] -0.0703125"},
     {"f8e4m3b11fnuz[] 3.25"},
     kPass,
     kDefault,
     Excess()},
    {"zero_stored",
     kAngleOfRounded,
     {"f8e4m3b11fnuz[] -0.0703125"},
     {"f8e4m3b11fnuz[] -3.25"},
     kFail},
    {"zero_before_it_lost_its_sign_wrong",
     kAngleOfRounded,
     {"f8e4m3b11fnuz[] -0.0703125"},
     {"f8e4m3b11fnuz[] 4"},
     kFail,
     kDefault,
     Excess()},
    {"f32_is_not_16_bits",
     kSum32,
     {"f32[] 1.0000001", "f32[] 8388609"},
     {"f32[] 8388609"},
     kFail,
     kDefault,
     Excess()},
};

const Case kQuotients[] = {
    {"long_quotient",
     BINARY("remainder", "f32"),
     {"f32[] 1e10", "f32[] 3"},
     {"f32[] 1.5"},
     kPass,
     kRelaxed},
    {"below_the_divisor",
     BINARY("remainder", "f32"),
     {"f32[] 1e10", "f32[] 3"},
     {"f32[] 3"},
     kFail,
     kRelaxed},
    {"with_the_dividends_sign",
     BINARY("remainder", "f32"),
     {"f32[] 1e10", "f32[] 3"},
     {"f32[] -1.5"},
     kFail,
     kRelaxed},
    {"short_quotient",
     BINARY("remainder", "f32"),
     {"f32[] 1e6", "f32[] 3"},
     {"f32[] 1.5"},
     kFail,
     kRelaxed},
    {"exact_in_default",
     BINARY("remainder", "f32"),
     {"f32[] 1e10", "f32[] 3"},
     {"f32[] 1.5"},
     kFail},
    {"by_fact",
     BINARY("remainder", "f32"),
     {"f32[] 1e10", "f32[] 3"},
     {"f32[] 1.5"},
     kPass,
     kDefault,
     Facts({"remainder.quotient"})},
};

class PermissionTest : public testing::TestWithParam<Case> {};
TEST_P(PermissionTest, Verdict) {
  const JudgeResult result = JudgeCase(GetParam());
  EXPECT_EQ(OutcomeName(AcceptedOr(result)), OutcomeName(GetParam().outcome)) << result.reason;
}
#define CASES(Name, table)                                                 \
  INSTANTIATE_TEST_SUITE_P(Name, PermissionTest, testing::ValuesIn(table), \
                           [](const auto& info) { return info.param.name; })
CASES(Accuracy, kAccuracy);
CASES(Holes, kHoles);
CASES(Moduli, kModuli);
CASES(Excess, kExcess);
CASES(Quotients, kQuotients);

}  // namespace
}  // namespace hlocts::reference
