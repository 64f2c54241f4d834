// SPDX-License-Identifier: Apache-2.0
// Where engines may differ and where not: flushed rows of a sort, overflow in sums, ties of a
// selection, fast convolutions, deep calls; and which term an explanation names.
#include <string>

#include "absl/strings/str_cat.h"
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

#define SORT3(compare)                                   \
  "lt { a = f32[] parameter(0) b = f32[] parameter(1)\n" \
  " ROOT r = pred[] compare(a, b), direction=LT" compare \
  " }\n"                                                 \
  "ENTRY e { x = f32[3] parameter(0)\n"                  \
  " ROOT r = f32[3] sort(x), dimensions={0}, to_apply=lt }"
const char kSort[] = SORT3("");
const char kTotalSort[] = SORT3(", type=TOTALORDER");
const char kSortPairs[] =
    "lt { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2)\n"
    " d = f32[] parameter(3) ROOT r = pred[] compare(a, b), direction=LT }\n"
    "ENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)\n"
    " ROOT r = (f32[2], f32[2]) sort(x, y), dimensions={0}, to_apply=lt }";
const char kSum3[] =
    ADD_BODY("f64")
    "ENTRY e { x = f64[3] parameter(0) i = f64[] constant(0)\n"
    " ROOT r = f64[] reduce(x, i), dimensions={0}, to_apply=add }";
const char kScatterSum[] =
    ADD_BODY("f64")
    "ENTRY e { o = f64[1] parameter(0) u = f64[2] parameter(1) z = s32[] constant(0)\n"
    " i = s32[2,1] broadcast(z), dimensions={}\n"
    " ROOT r = f64[1] scatter(o, i, u), update_window_dims={}, inserted_window_dims={0},\n"
    "   scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add }";
const char kDot2[] =
    "ENTRY e { x = f64[2] parameter(0) y = f64[2] parameter(1)\n"
    " ROOT r = f64[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0} }";
const char kDot2F32[] =
    "ENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)\n"
    " ROOT r = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0} }";
#define SELECT_AND_SCATTER(type, scatter, window)                                 \
  "ge { a = " type "[] parameter(0) b = " type                                    \
  "[] parameter(1)\n"                                                             \
  " ROOT r = pred[] compare(a, b), direction=GE }\n"                              \
  "sc { a = " type "[] parameter(0) b = " type                                    \
  "[] parameter(1)\n"                                                             \
  " ROOT r = " type "[] " scatter                                                 \
  "(a, b) }\n"                                                                    \
  "ENTRY e { x = " type "[4] parameter(0) s = " type "[2] parameter(1) i = " type \
  "[] parameter(2)\n"                                                             \
  " ROOT r = " type "[4] select-and-scatter(x, s, i), window={" window            \
  "}, select=ge, scatter=sc }"
const char kSelectOr[] = SELECT_AND_SCATTER("pred", "or", "size=2 stride=2");
const char kSelectAddS32[] = SELECT_AND_SCATTER("s32", "add", "size=2 stride=2");
// The greatest of seven by real part, ties by whichever comes; and what no order sorts: of two
// numbers the one that is 1 above the other modulo 3.
const char kGreatestByRealPart[] =
    "pick { a = c64[] parameter(0) b = c64[] parameter(1) x = f32[] real(a) y = f32[] real(b)\n"
    " g = pred[] compare(x, y), direction=GT ROOT r = c64[] select(g, a, b) }\n"
    "ENTRY e { x = c64[7] parameter(0) i = c64[] constant((-inf, 0))\n"
    " ROOT r = c64[] reduce(x, i), dimensions={0}, to_apply=pick }";
const char kWinnerOfACircle[] =
    "pick { a = s32[] parameter(0) b = s32[] parameter(1) d = s32[] subtract(a, b)\n"
    " t = s32[] constant(3) p = s32[] add(d, t) m = s32[] remainder(p, t) o = s32[] constant(1)\n"
    " g = pred[] compare(m, o), direction=EQ ROOT r = s32[] select(g, a, b) }\n"
    "ENTRY e { x = s32[7] parameter(0) i = s32[] constant(0)\n"
    " ROOT r = s32[] reduce(x, i), dimensions={0}, to_apply=pick }";
const char kAtan2[] =
    "ENTRY e { y = c64[] parameter(0) x = c64[] parameter(1) ROOT r = c64[] atan2(y, x) }";
const char kSparseConvolution[] =
    "ENTRY e { x = f32[1,1,4] parameter(0) k = f32[1,1,2] parameter(1)\n"
    " ROOT r = f32[1,1,3] convolution(x, k), window={size=2}, dim_labels=bf0_oi0->bf0 }";
const char kInverse[] =
    "ENTRY e { x = c64[3] parameter(0)\n"
    " ROOT r = f32[4] fft(x), fft_type=IRFFT, fft_length={4} }";
const char kInverse2[] =
    "ENTRY e { x = c64[2,2] parameter(0)\n"
    " ROOT r = f32[2,2] fft(x), fft_type=IRFFT, fft_length={2,2} }";

TargetFacts FastConvolution() {
  TargetFacts facts;
  facts.convolution_fast = true;
  return facts;
}

const Case kCases[] = {
    // Rows of a sort may come out flushed, but not lost.
    {"greatest_of_many",
     kGreatestByRealPart,
     {"c64[7] {(1,1), (2,2), (3,3), (2,4), (1,5), (0,6), (-1,7)}"},
     {"c64[] (3, 3)"},
     kPass},
    {"not_the_greatest_of_many",
     kGreatestByRealPart,
     {"c64[7] {(1,1), (2,2), (3,3), (2,4), (1,5), (0,6), (-1,7)}"},
     {"c64[] (2, 4)"},
     kFail},
    {"any_of_the_greatest",
     kGreatestByRealPart,
     {"c64[7] {(1,1), (3,2), (3,3), (2,4), (1,5), (0,6), (-1,7)}"},
     {"c64[] (3, 2)"},
     kPass},
    {"greatest_among_nans",
     kGreatestByRealPart,
     {"c64[7] {(nan,1), (3,2), (3,3), (2,4), (1,5), (0,6), (-1,7)}"},
     {"c64[] (3, 2)"},
     kOpen},
    {"winner_of_a_circle", kWinnerOfACircle, {"s32[7] {0, 1, 2, 0, 1, 2, 0}"}, {"s32[] 2"}, kOpen},
    {"winner_of_two", kWinnerOfACircle, {"s32[7] {0, 1, 1, 0, 1, 0, 0}"}, {"s32[] 1"}, kPass},
    {"loser_of_two", kWinnerOfACircle, {"s32[7] {0, 1, 1, 0, 1, 0, 0}"}, {"s32[] 0"}, kFail},
    // Comparisons tell subnormals from zeros, but where an engine says otherwise (ruling 0060).
    {"sort_flushes_undeclared", kSort, {"f32[3] {1, -1e-40, 1e-40}"}, {"f32[3] {-0, 0, 1}"}, kFail},
    {"sort_flushes",
     kSort,
     {"f32[3] {1, -1e-40, 1e-40}"},
     {"f32[3] {-0, 0, 1}"},
     kPass,
     Profile::kDefault,
     {.compare_flush = true}},
    {"sort_flushes_some",
     kSort,
     {"f32[3] {1, -1e-40, 1e-40}"},
     {"f32[3] {-1e-40, 0, 1}"},
     kPass,
     Profile::kDefault,
     {.compare_flush = true}},
    {"sort_invents_no_subnormal",
     kSort,
     {"f32[3] {1, -1e-40, 1e-40}"},
     {"f32[3] {-0, 2e-40, 1}"},
     kFail},
    {"sort_moves_subnormals_no_further",
     kSort,
     {"f32[3] {1, -1e-40, 1e-40}"},
     {"f32[3] {-0, 1, 0}"},
     kFail},
    {"sort_keeps_in_strict",
     kSort,
     {"f32[3] {1, -1e-40, 1e-40}"},
     {"f32[3] {-0, 0, 1}"},
     kFail,
     kStrict},
    {"total_order_does_not_flush",
     kTotalSort,
     {"f32[3] {1, -1e-40, 1e-40}"},
     {"f32[3] {-0, 0, 1}"},
     kFail},
    {"total_order_keeps",
     kTotalSort,
     {"f32[3] {1, -1e-40, 1e-40}"},
     {"f32[3] {-1e-40, 1e-40, 1}"},
     kPass},
    {"flushed_keys_of_rows",
     kSortPairs,
     {"f32[2] {1e-40, -1e-40}", "f32[2] {7, 8}"},
     {"f32[2] {-0, 0}", "f32[2] {8, 7}"},
     kPass,
     Profile::kDefault,
     {.compare_flush = true}},
    {"flushed_rows_stay_together",
     kSortPairs,
     {"f32[2] {1e-40, -1e-40}", "f32[2] {7, 8}"},
     {"f32[2] {-0, 0}", "f32[2] {7, 8}"},
     kFail},

    // f64 sums near and beyond the largest value.
    {"f64_infinity_in_a_sum", kSum3, {"f64[3] {inf, 1, 2}"}, {"f64[] inf"}, kPass},
    {"f64_infinity_in_a_sum_is_no_number", kSum3, {"f64[3] {inf, 1, 2}"}, {"f64[] 3"}, kFail},
    {"f64_infinity_in_a_sum_is_no_nan", kSum3, {"f64[3] {inf, 1, 2}"}, {"f64[] nan"}, kFail},
    {"f64_infinity_has_a_sign", kSum3, {"f64[3] {inf, 1, 2}"}, {"f64[] -inf"}, kFail},
    {"f64_nan_in_a_sum", kSum3, {"f64[3] {nan, 1, 2}"}, {"f64[] nan"}, kPass},
    {"f64_nan_in_a_sum_stays", kSum3, {"f64[3] {nan, 1, 2}"}, {"f64[] 3"}, kFail},
    {"f64_infinities_cancel_to_nan", kSum3, {"f64[3] {inf, 1, -inf}"}, {"f64[] nan"}, kPass},
    {"f64_infinities_do_not_cancel", kSum3, {"f64[3] {inf, 1, -inf}"}, {"f64[] 1"}, kFail},
    {"f64_infinity_and_an_overflow",
     kSum3,
     {"f64[3] {inf, -1.7e308, -1.7e308}"},
     {"f64[] nan"},
     kPass},
    {"f64_infinity_and_an_overflow_no_number",
     kSum3,
     {"f64[3] {inf, -1.7e308, -1.7e308}"},
     {"f64[] 1"},
     kFail},
    {"f64_sum_overflows", kSum3, {"f64[3] {1.7e308, 1.7e308, 1}"}, {"f64[] inf"}, kPass},
    {"f64_sum_overflows_to_one_side",
     kSum3,
     {"f64[3] {1.7e308, 1.7e308, 1}"},
     {"f64[] -inf"},
     kFail},
    {"f64_sum_overflows_not_to_nan", kSum3, {"f64[3] {1.7e308, 1.7e308, 1}"}, {"f64[] nan"}, kFail},
    {"f64_sum_overflows_not_to_a_number",
     kSum3,
     {"f64[3] {1.7e308, 1.7e308, 1}"},
     {"f64[] 1.7e308"},
     kFail},
    {"f64_sum_overflows_in_some_order",
     kSum3,
     {"f64[3] {1.7e308, 1.7e308, -1.7e308}"},
     {"f64[] inf"},
     kPass},
    {"f64_sum_need_not_overflow",
     kSum3,
     {"f64[3] {1.7e308, 1.7e308, -1.7e308}"},
     {"f64[] 1.7e308"},
     kPass},
    {"f64_sum_off", kSum3, {"f64[3] {1.7e308, 1.7e308, -1.7e308}"}, {"f64[] 1.69e308"}, kFail},
    {"f64_sum_overflows_one_way_only",
     kSum3,
     {"f64[3] {1.7e308, 1.7e308, -1.7e308}"},
     {"f64[] -inf"},
     kFail},
    {"f64_scatter_overflows",
     kScatterSum,
     {"f64[1] {1.7e308}", "f64[2] {1.7e308, 1}"},
     {"f64[1] {inf}"},
     kPass},
    {"f64_scatter_overflows_for_sure",
     kScatterSum,
     {"f64[1] {1.7e308}", "f64[2] {1.7e308, 1}"},
     {"f64[1] {3}"},
     kFail},
    {"f64_scatter_in_some_order",
     kScatterSum,
     {"f64[1] {1.7e308}", "f64[2] {1.7e308, -1.7e308}"},
     {"f64[1] {1.7e308}"},
     kPass},
    {"f64_scatter_off",
     kScatterSum,
     {"f64[1] {1.7e308}", "f64[2] {1.7e308, -1.7e308}"},
     {"f64[1] {1.6e308}"},
     kFail},
    {"f64_dot_with_infinity", kDot2, {"f64[2] {inf, 1}", "f64[2] {2, 1}"}, {"f64[] inf"}, kPass},
    {"f64_dot_with_infinity_no_number",
     kDot2,
     {"f64[2] {inf, 1}", "f64[2] {2, 1}"},
     {"f64[] 3"},
     kFail},
    {"f64_dot_infinity_times_zero",
     kDot2,
     {"f64[2] {inf, 1}", "f64[2] {0, 1}"},
     {"f64[] nan"},
     kPass},
    {"f64_dot_infinity_times_zero_no_number",
     kDot2,
     {"f64[2] {inf, 1}", "f64[2] {0, 1}"},
     {"f64[] inf"},
     kFail},
    {"f64_dot_overflows", kDot2, {"f64[2] {1e200, 1}", "f64[2] {1e200, 1}"}, {"f64[] inf"}, kPass},
    {"f64_dot_overflows_for_sure",
     kDot2,
     {"f64[2] {1e200, 1}", "f64[2] {1e200, 1}"},
     {"f64[] 1e308"},
     kFail},
    {"f64_dot_overflows_not_to_nan",
     kDot2,
     {"f64[2] {2e154, 1}", "f64[2] {2e154, 1}"},
     {"f64[] nan"},
     kFail},
    {"f64_dot_cancels_beyond_the_range",
     kDot2,
     {"f64[2] {1e200, 1e200}", "f64[2] {1e200, -1e200}"},
     {"f64[] nan"},
     kPass},
    {"f32_dot_with_infinity_no_number",
     kDot2F32,
     {"f32[2] {inf, 1}", "f32[2] {2, 1}"},
     {"f32[] 3"},
     kFail},

    // Ties of a selection: any of the tied elements, no other.
    {"pred_select_first",
     kSelectOr,
     {"pred[4] {true, true, false, true}", "pred[2] {true, true}", "pred[] false"},
     {"pred[4] {true, false, false, true}"},
     kPass},
    {"pred_select_second",
     kSelectOr,
     {"pred[4] {true, true, false, true}", "pred[2] {true, true}", "pred[] false"},
     {"pred[4] {false, true, false, true}"},
     kPass},
    {"pred_select_of_no_tie",
     kSelectOr,
     {"pred[4] {true, true, false, true}", "pred[2] {true, true}", "pred[] false"},
     {"pred[4] {true, false, true, false}"},
     kFail},
    {"integer_select_of_ties",
     kSelectAddS32,
     {"s32[4] {5, 5, 1, 2}", "s32[2] {3, 4}", "s32[] 0"},
     {"s32[4] {0, 3, 0, 4}"},
     kPass},
    {"integer_select_of_ties_adds_once",
     kSelectAddS32,
     {"s32[4] {5, 5, 1, 2}", "s32[2] {3, 4}", "s32[] 0"},
     {"s32[4] {0, 6, 0, 4}"},
     kFail},

    {"sign_of_an_overflowing_modulus",
     UNARY("sign", "c64"),
     {"c64[] (3e38, 3e38)"},
     {"c64[] (0, 0)"},
     kPass},
    {"sign_of_an_overflowing_modulus_exactly",
     UNARY("sign", "c64"),
     {"c64[] (3e38, -3e38)"},
     {"c64[] (0.70710677, -0.70710677)"},
     kPass},
    {"sign_of_a_large_modulus",
     UNARY("sign", "c64"),
     {"c64[] (1e18, 1e18)"},
     {"c64[] (0, 0)"},
     kFail},
    {"sign_of_an_overflowing_modulus_in_strict",
     UNARY("sign", "c64"),
     {"c64[] (3e38, 3e38)"},
     {"c64[] (0, 0)"},
     kFail,
     kStrict},
    {"sign_keeps_its_quadrant",
     UNARY("sign", "c64"),
     {"c64[] (3e38, 3e38)"},
     {"c64[] (-0.5, 0.7)"},
     kFail},

    {"complex_atan2",
     kAtan2,
     {"c64[] (1, 2)", "c64[] (3, -1)"},
     {"c64[] (0.19025319, 0.84182396)"},
     kPass},
    {"complex_atan2_off",
     kAtan2,
     {"c64[] (1, 2)", "c64[] (3, -1)"},
     {"c64[] (0.19028319, 0.84182396)"},
     kFail},
    {"complex_atan2_of_swapped_operands",
     kAtan2,
     {"c64[] (1, 2)", "c64[] (3, -1)"},
     {"c64[] (1.3805431, -0.84182396)"},
     kFail},

    // A zero between large elements: exact in a sum of its own terms, not out of a transform.
    {"fast_convolution",
     kSparseConvolution,
     {"f32[1,1,4] {{{1e6, 1, 1, 1}}}", "f32[1,1,2] {{{1, -1}}}"},
     {"f32[1,1,3] {{{999999, 0.03, 0}}}"},
     kPass,
     Profile::kDefault,
     FastConvolution()},
    {"fast_convolution_too_far",
     kSparseConvolution,
     {"f32[1,1,4] {{{1e6, 1, 1, 1}}}", "f32[1,1,2] {{{1, -1}}}"},
     {"f32[1,1,3] {{{999999, 80, 0}}}"},
     kFail,
     Profile::kDefault,
     FastConvolution()},
    {"fast_convolution_undeclared",
     kSparseConvolution,
     {"f32[1,1,4] {{{1e6, 1, 1, 1}}}", "f32[1,1,2] {{{1, -1}}}"},
     {"f32[1,1,3] {{{999999, 0.03, 0}}}"},
     kFail},
    {"fast_convolution_relaxed",
     kSparseConvolution,
     {"f32[1,1,4] {{{1e6, 1, 1, 1}}}", "f32[1,1,2] {{{1, -1}}}"},
     {"f32[1,1,3] {{{999999, 0.03, 0}}}"},
     kPass,
     kRelaxed},
    {"fast_convolution_of_an_infinity",
     kSparseConvolution,
     {"f32[1,1,4] {{{inf, 1, 1, 1}}}", "f32[1,1,2] {{{1, -1}}}"},
     {"f32[1,1,3] {{{inf, nan, 0}}}"},
     kOpen,
     Profile::kDefault,
     FastConvolution()},

    {"irfft", kInverse, {"c64[3] {(10, 0), (-2, 2), (-2, 0)}"}, {"f32[4] {1, 2, 3, 4}"}, kPass},
    {"irfft_off",
     kInverse,
     {"c64[3] {(10, 0), (-2, 2), (-2, 0)}"},
     {"f32[4] {1, 2.1, 3, 4}"},
     kFail},
    {"irfft_may_read_the_imaginary_part_of_dc",
     kInverse,
     {"c64[3] {(10, 2), (-2, 2), (-2, 0)}"},
     {"f32[4] {1.5, 1.5, 3.5, 3.5}"},
     kPass},
    {"irfft_reads_no_more_than_that",
     kInverse,
     {"c64[3] {(10, 2), (-2, 2), (-2, 0)}"},
     {"f32[4] {5, 2, 3, 4}"},
     kFail},
    {"irfft_of_two_axes_not_hermitian",
     kInverse2,
     {"c64[2,2] {{(1, 2), (3, 4)}, {(5, 6), (7, 8)}}"},
     {"f32[2,2] {{1, 2}, {3, 4}}"},
     kOpen},
};
JUDGE_CASES(FreedomTest, kCases);

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
};

TEST(ExplainTest, NamesTheDominatingTerm) {
  const char* fma =
      "ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) z = f32[] parameter(2)\n"
      " p = f32[] multiply(x, y) ROOT r = f32[] add(p, z) }";
  const char* through_tanh =
      "ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1)\n"
      " t = f32[] tanh(x) ROOT r = f32[] add(t, y) }";
  const Explained cases[] = {
      {fma, {"f32[] 1.0000001", "f32[] 1.0000001", "f32[] -1.0000002"}, "skipped rounding"},
      {fma, {"f32[] 1.0000001", "f32[] 1.0000001", "f32[] 0.3"}, "skipped rounding"},
      {fma, {"f32[] 1e-20", "f32[] 1e-20", "f32[] 0"}, "flushed subnormals"},
      {BINARY("multiply", "f32"), {"f32[] 1e-40", "f32[] 1e10"}, "flushed subnormals"},
      {BINARY("add", "f32"), {"f32[] 1e-40", "f32[] 0"}, "flushed subnormals"},
      {through_tanh, {"f32[] 0.5", "f32[] 1"}, "ulps of a function"},
  };
  for (const Explained& c : cases) {
    auto module = ParseModule(c.module);
    ASSERT_TRUE(module.ok());
    auto accepted = AcceptanceOf(**module, Parse(c.arguments), JudgeOptions());
    ASSERT_TRUE(accepted.ok());
    std::string text = Explain(*accepted, 0, 0);
    EXPECT_NE(text.find(absl::StrCat("width from:  ", c.term)), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace hlocts::reference
