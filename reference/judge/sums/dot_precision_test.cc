// SPDX-License-Identifier: Apache-2.0
// Engines that obey `algorithm` and `operand_precision`, and engines that do not.
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

#define DOT(type, n, attributes)                                 \
  "ENTRY e { x = " type "[1," n "] parameter(0) y = " type "[" n \
  ",1] parameter(1)\n ROOT r = " type                            \
  "[1,1] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}" attributes " }"
#define PRODUCT(attributes) DOT("f32", "1", attributes)

const char kPlain[] = PRODUCT("");
const char kTf32[] = PRODUCT(", algorithm=dot_tf32_tf32_f32");
const char kBf16Passes[] = PRODUCT(", algorithm=dot_bf16_bf16_f32");
const char kF32[] = PRODUCT(", algorithm=dot_f32_f32_f32");
const char kHighest[] = PRODUCT(", operand_precision={highest,highest}");
const char kHigh[] = PRODUCT(", operand_precision={high,high}");
const char kThreePasses[] = DOT("f32", "2", ", algorithm=dot_bf16_bf16_f32_x3");
const char kF16Plain[] = DOT("f16", "3", "");
const char kF16Sums[] = DOT("f16", "3", ", algorithm=dot_f16_f16_f16");

// Three quarters of a unit of TF32 above 1, of which bf16 has an eighth.
const std::vector<const char*> kNearOne = {"f32[1,1] {{1.00073242}}", "f32[1,1] {{1}}"};
// 1 + 2^-9 - 2^-18 + 2^-23: all of it in three parts, the first of which is 1.
const std::vector<const char*> kThreeParts = {"f32[1,2] {{1.00194943, 1.00194943}}",
                                              "f32[2,1] {{1.00194943}, {1.00194943}}"};
const std::vector<const char*> kStagnant = {"f16[1,3] {{2048, 1, 1}}", "f16[3,1] {{1}, {1}, {1}}"};
// A product of f32 operands that f64 holds and f32 does not; the accumulator is not said: f32.
const char kWiderResult[] =
    "ENTRY e { x = f32[1,1] parameter(0) y = f32[1,1] parameter(1)\n"
    " ROOT r = f64[1,1] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }";
const char kF64ByF32[] = DOT("f64", "1", ", algorithm=dot_f32_f32_f32");
const std::vector<const char*> kSquare = {"f32[1,1] {{1.000244140625}}",
                                          "f32[1,1] {{1.000244140625}}"};
// 1 + 2^-12 and nearly half a unit of f32 more: two operands and their product lose half a unit
// each.
const std::vector<const char*> kRoundedThrice = {"f64[1,1] {{1.0002442002296}}",
                                                 "f64[1,1] {{1.0002442002296}}"};
// f32 operands whose product, a little above the middle of two numbers of bf16, rounds to it in
// f32.
const char kNarrowerResult[] =
    "ENTRY e { x = f32[1,1] parameter(0) y = f32[1,1] parameter(1)\n"
    " ROOT r = bf16[1,1] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }";
const std::vector<const char*> kBesideTie = {"f32[1,1] {{1.0039063692092896}}",
                                             "f32[1,1] {{0.9999999403953552}}"};
TargetFacts WithTf32() {
  TargetFacts facts;
  facts.dot_tf32 = true;
  return facts;
}

const Case kDots[] = {
    {"tf32_to_nearest", kTf32, kNearOne, {"f32[1,1] {{1.0009765625}}"}, kPass, kStrict},
    {"tf32_by_leaving_bits_out", kTf32, kNearOne, {"f32[1,1] {{1}}"}, kPass, kStrict},
    {"tf32_more_exact", kTf32, kNearOne, {"f32[1,1] {{1.00073242}}"}, kPass, kStrict},
    {"tf32_too_far", kTf32, kNearOne, {"f32[1,1] {{1.0078125}}"}, kFail, kRelaxed},
    {"tf32_without_attribute", kPlain, kNearOne, {"f32[1,1] {{1.0009765625}}"}, kFail},
    {"bf16",
     kBf16Passes,
     {"f32[1,1] {{1.003}}", "f32[1,1] {{1}}"},
     {"f32[1,1] {{1}}"},
     kPass,
     kStrict},
    {"bf16_too_far",
     kBf16Passes,
     {"f32[1,1] {{1.003}}", "f32[1,1] {{1}}"},
     {"f32[1,1] {{1.02}}"},
     kFail,
     kRelaxed},
    {"bf16_beyond_the_range",
     kBf16Passes,
     {"f32[1,1] {{3.4e38}}", "f32[1,1] {{1}}"},
     {"f32[1,1] {{inf}}"},
     kOpen},
    {"three_passes", kThreePasses, kThreeParts, {"f32[1,1] {{2.0078125}}"}, kPass, kStrict},
    {"one_pass_of_three", kThreePasses, kThreeParts, {"f32[1,1] {{2}}"}, kFail, kRelaxed},
    {"infinity_in_parts",
     kThreePasses,
     {"f32[1,2] {{inf, 1}}", "f32[2,1] {{1}, {1}}"},
     {"f32[1,1] {{nan}}"},
     kOpen},
    {"f16_sum_stagnates", kF16Sums, kStagnant, {"f16[1,1] {{2048}}"}, kPass, kStrict},
    {"f16_sum_too_far", kF16Sums, kStagnant, {"f16[1,1] {{2040}}"}, kFail, kRelaxed},
    {"f16_sum_without_attribute", kF16Plain, kStagnant, {"f16[1,1] {{2048}}"}, kFail, kStrict},
    {"f16_sum_in_its_type", kF16Plain, kStagnant, {"f16[1,1] {{2048}}"}, kPass},
    {"f32_demanded", kF32, kNearOne, {"f32[1,1] {{1}}"}, kFail, kRelaxed},
    {"f32_obeyed", kF32, kNearOne, {"f32[1,1] {{1.00073242}}"}, kPass, kStrict},
    {"nothing_demanded", kPlain, kNearOne, {"f32[1,1] {{1}}"}, kPass, kRelaxed},
    {"highest", kHighest, kNearOne, {"f32[1,1] {{1}}"}, kFail, kRelaxed},
    {"highest_obeyed", kHighest, kNearOne, {"f32[1,1] {{1.00073242}}"}, kPass, kRelaxed},
    {"highest_of_six_passes", kHighest, kNearOne, {"f32[1,1] {{1.00073254}}"}, kPass, kRelaxed},
    {"high_by_tf32", kHigh, kNearOne, {"f32[1,1] {{1.0009765625}}"}, kPass, kRelaxed},
    {"high_by_bf16", kHigh, kNearOne, {"f32[1,1] {{1.0078125}}"}, kFail, kRelaxed},
    {"product_in_f32_of_a_result_in_f64",
     kWiderResult,
     kSquare,
     {"f64[1,1] {{1.00048828125}}"},
     kPass,
     kStrict},
    {"product_in_f32_too_far",
     kWiderResult,
     kSquare,
     {"f64[1,1] {{1.00048816204071045}}"},
     kFail,
     kStrict},
    {"operands_and_product_rounded_to_f32",
     kF64ByF32,
     kRoundedThrice,
     {"f64[1,1] {{1.00048828125}}"},
     kPass,
     kStrict},
    {"operands_and_product_too_far",
     kF64ByF32,
     kRoundedThrice,
     {"f64[1,1] {{1.00048804283}}"},
     kFail,
     kStrict},
    {"product_in_f32_of_a_result_in_bf16",
     kNarrowerResult,
     kBesideTie,
     {"bf16[1,1] {{1}}"},
     kPass,
     kStrict},
    {"product_rounded_once_to_bf16",
     kNarrowerResult,
     kBesideTie,
     {"bf16[1,1] {{1.0078125}}"},
     kPass,
     kStrict},
    {"fact_tf32",
     kPlain,
     kNearOne,
     {"f32[1,1] {{1.0009765625}}"},
     kPass,
     Profile::kDefault,
     WithTf32()},
    {"fact_tf32_but_highest",
     kHighest,
     kNearOne,
     {"f32[1,1] {{1.0009765625}}"},
     kFail,
     Profile::kDefault,
     WithTf32()},
};

class DotPrecisionTest : public testing::TestWithParam<Case> {};
TEST_P(DotPrecisionTest, Verdict) {
  const JudgeResult result = JudgeCase(GetParam());
  EXPECT_EQ(OutcomeName(result.outcome), OutcomeName(GetParam().outcome)) << result.reason;
}
INSTANTIATE_TEST_SUITE_P(Cases, DotPrecisionTest, testing::ValuesIn(kDots),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hlocts::reference
