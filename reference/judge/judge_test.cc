// SPDX-License-Identifier: Apache-2.0
// Cases of the acceptance rules: a module, its arguments, outputs of an engine, and the verdict. To
// add one, add a row. The rows of kMeasured are answers that real XLA gave: they have to pass.
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

TEST_P(AcceptanceTest, Verdict) {
  JudgeResult result = JudgeCase(GetParam());
  EXPECT_EQ(OutcomeName(AcceptedOr(result)), OutcomeName(GetParam().outcome)) << result.reason;
}

const char kFma[] =
    "ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) z = f32[] parameter(2)\n"
    " p = f32[] multiply(x, y) ROOT r = f32[] add(p, z) }";
const char kFmaThroughMoves[] =
    "ENTRY e { x = f32[1,1] parameter(0) y = f32[1,1] parameter(1) z = f32[1] parameter(2)\n"
    " p = f32[1,1] multiply(x, y) t = f32[1,1] transpose(p), dimensions={1,0}\n"
    " n = f32[1,1] negate(t) q = f32[1] reshape(n) ROOT r = f32[1] subtract(z, q) }";
const char kFmaThroughAbs[] =
    "ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) z = f32[] parameter(2)\n"
    " p = f32[] multiply(x, y) a = f32[] abs(p) ROOT r = f32[] add(a, z) }";
const char kThreeTimes2e38[] =
    "ENTRY e { x = f32[] parameter(0) two = f32[] constant(2) p = f32[] multiply(x, two)\n"
    " ROOT r = f32[] subtract(p, x) }";
const char kTwiceBeyondF64[] =
    "ENTRY e { x = f64[] parameter(0) two = f64[] constant(2) p = f64[] multiply(x, two)\n"
    " ROOT r = f64[] subtract(p, x) }";
const char kLoneProduct[] =
    "mul { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] multiply(a, b) }\n"
    "ENTRY e { x = f32[1] parameter(0) i = f32[] constant(1)\n"
    " ROOT r = f32[] reduce(x, i), dimensions={0}, to_apply=mul }";
const char kLoneMinimum[] =
    "min { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] minimum(a, b) }\n"
    "ENTRY e { x = s32[1] parameter(0) i = s32[] constant(-3)\n"
    " ROOT r = s32[] reduce(x, i), dimensions={0}, to_apply=min }";
const char kBatchNormF64[] =
    "ENTRY e { x = f64[1] parameter(0) z = f64[1] constant({0}) o = f64[1] constant({1})\n"
    " ROOT r = f64[1] batch-norm-inference(x, o, z, z, z), epsilon=0.001, feature_index=0 }";
const char kConvolutionByConverted[] =
    "ENTRY e { x = f8e4m3[1,1,2] parameter(0) w = f32[1,1,2] parameter(1)\n"
    " k = f8e4m3[1,1,2] convert(w) ROOT r = f8e4m3[1,1,3] convolution(x, k),\n"
    "   window={size=2 pad=1_1}, dim_labels=bf0_oi0->bf0 }";
const char kProductOfHoles[] =
    "mul { a = f8e3m4[] parameter(0) b = f8e3m4[] parameter(1) ROOT r = f8e3m4[] multiply(a, b) }\n"
    "ENTRY e { x = f8e3m4[1,1,1] constant({{{1}}}) k = f8e3m4[4,1,2] parameter(0)\n"
    " c = f8e3m4[1,4,1] convolution(x, k), window={size=2 pad=1_0}, dim_labels=bf0_oi0->bf0\n"
    " o = f8e3m4[] constant(1) ROOT r = f8e3m4[1,1] reduce(c, o), dimensions={1}, to_apply=mul }";
const char kHoles[] =
    "ENTRY e { x = f32[1,1,2] parameter(0) k = f32[1,1,2] parameter(1)\n"
    " ROOT r = f32[1,1,2] convolution(x, k), window={size=2 lhs_dilate=2}, dim_labels=bf0_oi0->bf0 "
    "}";
const char kGroups[] =
    "ENTRY e { x = f32[1,2,1] parameter(0) k = f32[2,1,1] parameter(1)\n"
    " ROOT r = f32[1,2,1] convolution(x, k), window={size=1}, dim_labels=bf0_oi0->bf0, "
    "feature_group_count=2 }";
const char kProduct3[] =
    "mul { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] multiply(a, b) }\n"
    "ENTRY e { x = f32[3] parameter(0) i = f32[] constant(1)\n"
    " ROOT r = f32[] reduce(x, i), dimensions={0}, to_apply=mul }";
// 0, or nearly, times numbers whose product overflows.
const char kProductAroundZero[] =
    "mul { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] multiply(a, b) }\n"
    "ENTRY e { x = f32[1] parameter(0) y = f32[2] parameter(1) i = f32[] constant(1)\n"
    " g = f32[1] exponential(x) h = f32[1] exponential(x) d = f32[1] subtract(g, h)\n"
    " t = f32[3] concatenate(d, y), dimensions={0}\n"
    " ROOT r = f32[] reduce(t, i), dimensions={0}, to_apply=mul }";
const char kComplexCholesky[] =
    "ENTRY e { x = c128[2,2] parameter(0) ROOT r = c128[2,2] cholesky(x), lower=true }";
const char kNormGrad[] =
    "ENTRY e { x = f16[2,1] parameter(0) s = f16[1] parameter(1) m = f16[1] parameter(2)\n"
    " v = f16[1] parameter(3) dy = f16[2,1] parameter(4)\n"
    " ROOT r = (f16[2,1], f16[1], f16[1]) batch-norm-grad(x, s, m, v, dy), epsilon=0.0009765625, "
    "feature_index=1 }";
const char kComplexProduct[] =
    "mul { a = c64[] parameter(0) b = c64[] parameter(1) ROOT r = c64[] multiply(a, b) }\n"
    "ENTRY e { x = c64[3] parameter(0) i = c64[] constant((1, 0))\n"
    " ROOT r = c64[] reduce(x, i), dimensions={0}, to_apply=mul }";
const char kDot2[] =
    "ENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)\n"
    " ROOT r = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0} }";
const char kWindowInit[] =
    ADD_BODY("f32")
    "ENTRY e { x = f32[4] parameter(0) i = f32[] constant(5)\n"
    " ROOT r = f32[4] reduce-window(x, i), window={size=3 pad=1_1}, to_apply=add }";
const char kReduce3F16[] =
    ADD_BODY("f16")
    "ENTRY e { x = f16[3] parameter(0) i = f16[] constant(0)\n"
    " ROOT r = f16[] reduce(x, i), dimensions={0}, to_apply=add }";
const char kReduceIntegers[] =
    ADD_BODY("f32")
    "ENTRY e { x = f32[4] parameter(0) i = f32[] constant(0)\n"
    " ROOT r = f32[] reduce(x, i), dimensions={0}, to_apply=add }";
const char kReduceSubtract[] =
    "sub { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(a, b) }\n"
    "ENTRY e { i = f32[] constant(0) x = f32[64] iota(), iota_dimension=0\n"
    " ROOT r = f32[] reduce(x, i), dimensions={0}, to_apply=sub }";
const char kReduceSubtract3[] =
    "sub { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(a, b) }\n"
    "ENTRY e { i = f32[] constant(0) x = f32[3] parameter(0)\n"
    " ROOT r = f32[] reduce(x, i), dimensions={0}, to_apply=sub }";
const char kTinyDot[] =
    "ENTRY e { c = f32[] constant(1e-20) x = f32[1000] broadcast(c), dimensions={}\n"
    " ROOT r = f32[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0} }";
const char kTinyReduce[] =
    ADD_BODY("f32")
    "ENTRY e { c = f32[] constant(1e-38) x = f32[1048576] broadcast(c), dimensions={}\n"
    " i = f32[] constant(0) ROOT r = f32[] reduce(x, i), dimensions={0}, to_apply=add }";
const char kBf16Window[] =
    ADD_BODY("bf16")
    "ENTRY e { c = bf16[] constant(1) x = bf16[1024] broadcast(c), dimensions={}\n"
    " i = bf16[] constant(0)\n"
    " ROOT r = bf16[1] reduce-window(x, i), window={size=1024}, to_apply=add }";
const char kBf16Scatter[] =
    ADD_BODY("bf16")
    "ENTRY e { o = bf16[1] parameter(0) c = bf16[] constant(1)\n"
    " u = bf16[4096] broadcast(c), dimensions={} z = s32[] constant(0)\n"
    " i = s32[4096,1] broadcast(z), dimensions={}\n"
    " ROOT r = bf16[1] scatter(o, i, u), update_window_dims={}, inserted_window_dims={0},\n"
    "   scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add }";
const char kProduct4[] =
    "mul { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] multiply(a, b) }\n"
    "ENTRY e { x = f32[4] parameter(0) i = f32[] constant(1)\n"
    " ROOT r = f32[] reduce(x, i), dimensions={0}, to_apply=mul }";
// Each rounded product of subnormals may stay where it is, however many factors below 1 follow.
const char kHermitianTransform[] =
    "ENTRY e { x = c64[4] parameter(0)\n"
    " ROOT r = f32[7] fft(x), fft_type=IRFFT, fft_length={7} }";
// 3 * 29 * 11 * 7 = 6699 has more bits than f16: 6700 in one order, 6696 in another.
const char kProductOfFour[] =
    "mul { a = f16[] parameter(0) b = f16[] parameter(1) ROOT r = f16[] multiply(a, b) }\n"
    "ENTRY e { x = f16[4] parameter(0) i = f16[] constant(1)\n"
    " ROOT r = f16[] reduce(x, i), dimensions={0}, to_apply=mul }";
// The second operand is no literal: its set was computed.
const char kSortOfNothing[] =
    "lt { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2)\n"
    " d = f32[] parameter(3) ROOT r = pred[] compare(a, b), direction=LT }\n"
    "ENTRY e { x = f32[0,4] parameter(0) y = f32[0,4] add(x, x)\n"
    " m = f32[4] constant({1, 1, 1, 1})\n"
    " z = f32[0,4] batch-norm-inference(y, m, m, m, m), epsilon=0.125, feature_index=1\n"
    " ROOT r = (f32[0,4], f32[0,4]) sort(x, z), dimensions={0}, to_apply=lt }";
const char kConvolutionOfHoles[] =
    "ENTRY e { x = c64[1,1,2] parameter(0) k = c64[1,1,1] parameter(1)\n"
    " ROOT r = c64[1,1,3] convolution(x, k), window={size=1 lhs_dilate=2}, dim_labels=bf0_oi0->bf0 "
    "}";
const char kNormalize[] =
    "ENTRY e { x = f32[1] parameter(0) s = f32[1] parameter(1) m = f32[1] parameter(2)\n"
    " v = f32[1] parameter(3) o = f32[1] constant({0})\n"
    " ROOT r = f32[1] batch-norm-inference(x, s, o, m, v), epsilon=0.125, feature_index=0 }";
const char kFadingProduct[] =
    "mul { a = f16[] parameter(0) b = f16[] parameter(1) ROOT r = f16[] multiply(a, b) }\n"
    "ENTRY e { i = f16[] parameter(0) c = f16[] constant(0.83398)\n"
    " x = f16[4097] broadcast(c), dimensions={}\n"
    " ROOT r = f16[] reduce(x, i), dimensions={0}, to_apply=mul }";
const char kSort[] =
    "lt { a = f32[] parameter(0) b = f32[] parameter(1)\n"
    " ROOT r = pred[] compare(a, b), direction=LT }\n"
    "ENTRY e { x = f32[3] parameter(0)\n"
    " ROOT r = f32[3] sort(x), dimensions={0}, to_apply=lt }";
const char kSortPairs[] =
    "lt { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2)\n"
    " d = s32[] parameter(3) ROOT r = pred[] compare(a, b), direction=LT }\n"
    "ENTRY e { x = f32[3] parameter(0) y = s32[3] parameter(1)\n"
    " ROOT r = (f32[3], s32[3]) sort(x, y), dimensions={0}, to_apply=lt }";
const char kSortPairsStable[] =
    "lt { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2)\n"
    " d = s32[] parameter(3) ROOT r = pred[] compare(a, b), direction=LT }\n"
    "ENTRY e { x = f32[3] parameter(0) y = s32[3] parameter(1)\n"
    " ROOT r = (f32[3], s32[3]) sort(x, y), dimensions={0}, is_stable=true, to_apply=lt }";
const char kConvolutionWithInf[] =
    "ENTRY e { x = f32[1,1,3] parameter(0) k = f32[1,1,3] parameter(1)\n"
    " ROOT r = f32[1,1,3] convolution(x, k), window={size=3 pad=1_1}, dim_labels=bf0_oi0->bf0 }";
const char kGather[] =
    "ENTRY e { x = f32[4] parameter(0) i = s32[2,1] parameter(1)\n"
    " ROOT r = f32[2] gather(x, i), offset_dims={}, collapsed_slice_dims={0},\n"
    "   start_index_map={0}, index_vector_dim=1, slice_sizes={1} }";
const char kComplexMultiply[] =
    "ENTRY e { x = c64[] parameter(0) y = c64[] parameter(1) ROOT r = c64[] multiply(x, y) }";
const char kComplexExp[] = "ENTRY e { x = c64[] parameter(0) ROOT r = c64[] exponential(x) }";
const char kClamp[] =
    "ENTRY e { a = f32[] parameter(0) x = f32[] parameter(1) b = f32[] parameter(2)\n"
    " ROOT r = f32[] clamp(a, x, b) }";
const char kReducePrecision[] =
    "ENTRY e { x = f32[] parameter(0)\n"
    " ROOT r = f32[] reduce-precision(x), exponent_bits=5, mantissa_bits=10 }";
const char kElide[] =
    "ENTRY e { x = bf16[] parameter(0) y = bf16[] parameter(1) s = bf16[] add(x, y)\n"
    " ROOT r = f32[] convert(s) }";
const char kWhile[] =
    "cond { s = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
    " n = s32[] constant(3) ROOT r = pred[] compare(i, n), direction=LT }\n"
    "body { s = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
    " x = f32[] get-tuple-element(s), index=1 one = s32[] constant(1) half = f32[] constant(0.5)\n"
    " j = s32[] add(i, one) y = f32[] multiply(x, half) ROOT r = (s32[], f32[]) tuple(j, y) }\n"
    "ENTRY e { z = s32[] constant(0) x = f32[] parameter(0)\n"
    " s = (s32[], f32[]) tuple(z, x) w = (s32[], f32[]) while(s), condition=cond, body=body\n"
    " ROOT r = f32[] get-tuple-element(w), index=1 }";
const char kConditional[] =
    "t { x = f32[] parameter(0) ROOT r = f32[] negate(x) }\n"
    "f { x = f32[] parameter(0) ROOT r = f32[] copy(x) }\n"
    "ENTRY e { p = pred[] parameter(0) x = f32[] parameter(1)\n"
    " ROOT r = f32[] conditional(p, x, x), true_computation=t, false_computation=f }";
const char kUncertainSelect[] =
    "ENTRY e { x = f32[] parameter(0) z = f32[] constant(0)\n"
    " p = pred[] compare(x, z), direction=GT one = f32[] constant(1) two = f32[] constant(2)\n"
    " ROOT r = f32[] select(p, one, two) }";
const char kArgmax[] =
    "arg { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2)\n"
    " j = s32[] parameter(3) g = pred[] compare(a, b), direction=GT\n"
    " n = pred[] compare(a, a), direction=NE o = pred[] or(g, n)\n"
    " e = pred[] compare(a, b), direction=EQ l = pred[] compare(i, j), direction=LT\n"
    " t = pred[] and(e, l) s = pred[] or(o, t)\n"
    " v = f32[] select(o, a, b) w = s32[] select(s, i, j)\n"
    " ROOT r = (f32[], s32[]) tuple(v, w) }\n"
    "ENTRY e { x = f32[4] parameter(0) k = s32[4] iota(), iota_dimension=0\n"
    " mi = f32[] constant(-inf) z = s32[] constant(0)\n"
    " ROOT r = (f32[], s32[]) reduce(x, k, mi, z), dimensions={0}, to_apply=arg }";
const char kFft4[] =
    "ENTRY e { x = c64[4] parameter(0)\n"
    " ROOT r = c64[4] fft(x), fft_type=FFT, fft_length={4} }";
const char kCholesky[] =
    "ENTRY e { x = f32[2,2] parameter(0) ROOT r = f32[2,2] cholesky(x), lower=true }";
const char kSolve[] =
    "ENTRY e { a = f32[2,2] parameter(0) b = f32[2,1] parameter(1)\n"
    " ROOT r = f32[2,1] triangular-solve(a, b), left_side=true, lower=true,\n"
    "   transpose_a=NO_TRANSPOSE }";
const char kTotalOrder[] =
    "ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) n = f32[] divide(x, x)\n"
    " ROOT r = pred[] compare(n, y), direction=GT, type=TOTALORDER }";
const char kUniform[] =
    "ENTRY e { a = f32[] constant(0) b = f32[] constant(1)\n"
    " ROOT r = f32[4] rng(a, b), distribution=rng_uniform }";
const char kToBf16[] = "ENTRY e { x = f64[] parameter(0) ROOT r = bf16[] convert(x) }";
const char kIntToBf16[] = "ENTRY e { x = s32[] parameter(0) ROOT r = bf16[] convert(x) }";
const char kToInt[] = "ENTRY e { x = f32[] parameter(0) ROOT r = s32[] convert(x) }";

// Answers of real XLA on the cases that the rules were measured on.
const Case kMeasured[] = {
    {"sum_of_tiny_products", kTinyDot, {}, {"f32[] 0"}, kPass},
    {"sum_of_tiny_terms", kTinyReduce, {}, {"f32[] 0"}, kPass},
    {"bf16_window_stagnates", kBf16Window, {}, {"bf16[1] {256}"}, kPass},
    {"bf16_scatter_stagnates", kBf16Scatter, {"bf16[1] {0}"}, {"bf16[1] {256}"}, kPass},
    {"bf16_scatter_exact", kBf16Scatter, {"bf16[1] {0}"}, {"bf16[1] {4096}"}, kPass},
    {"f16_reduce_overflows", kReduce3F16, {"f16[3] {60000, 60000, -60000}"}, {"f16[] inf"}, kPass},
    {"f16_reduce_other_order",
     kReduce3F16,
     {"f16[3] {60000, 60000, -60000}"},
     {"f16[] 60000"},
     kPass},
    {"contracted",
     kFma,
     {"f32[] 1.0000001", "f32[] 1.0000001", "f32[] -1.0000002"},
     {"f32[] 1.4210855e-14"},
     kPass},
    {"not_contracted",
     kFma,
     {"f32[] 1.0000001", "f32[] 1.0000001", "f32[] -1.0000002"},
     {"f32[] 0"},
     kPass},
    {"contracted_through_moves",
     kFmaThroughMoves,
     {"f32[1,1] {{1.0000001}}", "f32[1,1] {{1.0000001}}", "f32[1] {-1.0000002}"},
     {"f32[1] {1.4210855e-14}"},
     kPass},
    {"hull_beyond_max_f32", kThreeTimes2e38, {"f32[] 3e38"}, {"f32[] 3e38"}, kPass},
    {"hull_beyond_max_f32_inf", kThreeTimes2e38, {"f32[] 3e38"}, {"f32[] inf"}, kPass},
    {"hull_beyond_max_f64", kTwiceBeyondF64, {"f64[] 1.7e308"}, {"f64[] 1.7e308"}, kPass},
    {"complex_product_overflows",
     kComplexMultiply,
     {"c64[] (1e20, 1e20)", "c64[] (1e20, -1e20)"},
     {"c64[] (inf, -inf)"},
     kPass},
    {"double_rounding_to_bf16", kToBf16, {"f64[] 1.0039062500009095"}, {"bf16[] 1"}, kPass},
    {"double_rounding_from_int", kIntToBf16, {"s32[] 16842753"}, {"bf16[] 16777216"}, kPass},
    {"padding_times_infinity",
     kConvolutionWithInf,
     {"f32[1,1,3] {{{1, 1, 1}}}", "f32[1,1,3] {{{inf, 1, 1}}}"},
     {"f32[1,1,3] {{{nan, inf, inf}}}"},
     kPass},
    {"padding_absent",
     kConvolutionWithInf,
     {"f32[1,1,3] {{{1, 1, 1}}}", "f32[1,1,3] {{{inf, 1, 1}}}"},
     {"f32[1,1,3] {{{2, inf, inf}}}"},
     kPass},
    {"window_init_inserted", kWindowInit, {"f32[4] {1, 1, 1, 1}"}, {"f32[4] {7, 8, 8, 7}"}, kPass},
    {"reduce_of_subtract", kReduceSubtract, {}, {"f32[] 2080"}, kOpen},
    {"subnormal_plus_zero", BINARY("add", "f32"), {"f32[] 1e-40", "f32[] 0"}, {"f32[] 0"}, kPass},
    {"subnormal_times_large",
     BINARY("multiply", "f32"),
     {"f32[] 1e-40", "f32[] 1e10"},
     {"f32[] 0"},
     kPass},
    {"subnormal_times_infinity",
     BINARY("multiply", "f32"),
     {"f32[] 1e-40", "f32[] inf"},
     {"f32[] nan"},
     kPass},
    {"zero_by_subnormal",
     BINARY("divide", "f32"),
     {"f32[] 0", "f32[] 1e-40"},
     {"f32[] nan"},
     kPass},
    {"remainder_by_subnormal",
     BINARY("remainder", "f32"),
     {"f32[] 1", "f32[] 1e-40"},
     {"f32[] nan"},
     kPass},
    {"log_of_negative_subnormal", UNARY("log", "f32"), {"f32[] -1e-40"}, {"f32[] -inf"}, kPass},
    {"rsqrt_of_subnormal", UNARY("rsqrt", "f32"), {"f32[] 1e-40"}, {"f32[] inf"}, kPass},
    {"sign_of_subnormal", UNARY("sign", "f32"), {"f32[] 1e-40"}, {"f32[] 0"}, kPass},
    {"ceil_of_subnormal", UNARY("ceil", "f32"), {"f32[] 1e-40"}, {"f32[] 0"}, kPass},
    {"floor_of_negative_subnormal", UNARY("floor", "f32"), {"f32[] -1e-40"}, {"f32[] -0"}, kPass},
    {"tanh_keeps_subnormal", UNARY("tanh", "f32"), {"f32[] 1e-40"}, {"f32[] 1e-40"}, kPass},
    {"flush_before_rounding",
     BINARY("multiply", "f32"),
     {"f32[] 1.17549435e-38", "f32[] 0.99999994"},
     {"f32[] 0"},
     kPass},
    {"maximum_of_subnormal",
     BINARY("maximum", "f32"),
     {"f32[] 0", "f32[] 1e-40"},
     {"f32[] 0"},
     kPass},
    {"sort_leaves_subnormals",
     kSort,
     {"f32[3] {1e-40, 0, -1e-40}"},
     {"f32[3] {1e-40, 0, -1e-40}"},
     kPass,
     Profile::kDefault,
     {.compare_flush = true}},
    {"compare_does_not_flush", kUncertainSelect, {"f32[] 1e-40"}, {"f32[] 1"}, kPass},
    {"product_overflows_in_some_order",
     kProduct4,
     {"f32[4] {1e30, 1e-30, 1e30, 1e-30}"},
     {"f32[] inf"},
     kPass},
    {"negative_nan_in_total_order", kTotalOrder, {"f32[] 0", "f32[] 1"}, {"pred[] false"}, kOpen},
    {"positive_nan_in_total_order", kTotalOrder, {"f32[] 0", "f32[] 1"}, {"pred[] true"}, kOpen},
    {"clamp_with_crossed_bounds", kClamp, {"f32[] 3", "f32[] 0", "f32[] 1"}, {"f32[] 1"}, kPass},
    {"clamp_of_nan", kClamp, {"f32[] 0", "f32[] nan", "f32[] 1"}, {"f32[] nan"}, kPass},
    {"reduce_precision_flushes", kReducePrecision, {"f32[] 1e-6"}, {"f32[] 0"}, kPass},
    {"reduce_precision_rounds_then_overflows",
     kReducePrecision,
     {"f32[] 65520"},
     {"f32[] inf"},
     kPass},
    {"elided_rounding", kElide, {"bf16[] 1", "bf16[] 0.00390625"}, {"f32[] 1.00390625"}, kPass},
    {"cholesky_near_singular_breaks_down",
     kCholesky,
     {"f32[2,2] {{1, 0.99999994}, {0.99999994, 1}}"},
     {"f32[2,2] {{1, 0}, {0.99999994, nan}}"},
     kPass},
    {"exp_close_to_the_top",
     UNARY("exponential", "f32"),
     {"f32[] 88.7217"},
     {"f32[] 3.398959e38"},
     kPass},
    {"lone_subnormal_is_multiplied_by_the_init_value",
     kLoneProduct,
     {"f32[1] {-4e-45}"},
     {"f32[] -0"},
     kPass},
    {"lone_element_without_its_init", kLoneMinimum, {"s32[1] {1}"}, {"s32[] 1"}, kPass},
    {"batch_norm_epsilon_is_f32",
     kBatchNormF64,
     {"f64[1] {1}"},
     {"f64[1] {31.622775850683176}"},
     kPass},
    {"padding_times_a_converted_infinity",
     kConvolutionByConverted,
     {"f8e4m3[1,1,2] {{{1, 1}}}", "f32[1,1,2] {{{inf, 1}}}"},
     {"f8e4m3[1,1,3] {{{nan, inf, inf}}}"},
     kPass},
    {"padding_times_a_converted_infinity_absent",
     kConvolutionByConverted,
     {"f8e4m3[1,1,2] {{{1, 1}}}", "f32[1,1,2] {{{inf, 1}}}"},
     {"f8e4m3[1,1,3] {{{1, inf, inf}}}"},
     kPass},
    {"padding_times_converted_numbers",
     kConvolutionByConverted,
     {"f8e4m3[1,1,2] {{{1, 1}}}", "f32[1,1,2] {{{2, 1}}}"},
     {"f8e4m3[1,1,3] {{{nan, 3, 2}}}"},
     kFail},
    // 0.0625 * 3 * 0.0625 * 3 in pairs, one after the other, or with a hole's NaN.
    {"product_that_may_be_nan_in_pairs",
     kProductOfHoles,
     {"f8e3m4[4,1,2] {{{nan, 0.0625}}, {{nan, 0.0625}}, {{nan, 3}}, {{nan, 3}}}"},
     {"f8e3m4[1,1] {{0.03125}}"},
     kPass},
    {"product_that_may_be_nan_in_order",
     kProductOfHoles,
     {"f8e3m4[4,1,2] {{{nan, 0.0625}}, {{nan, 0.0625}}, {{nan, 3}}, {{nan, 3}}}"},
     {"f8e3m4[1,1] {{0}}"},
     kPass},
    {"product_that_may_be_nan_of_holes",
     kProductOfHoles,
     {"f8e3m4[4,1,2] {{{nan, 0.0625}}, {{nan, 0.0625}}, {{nan, 3}}, {{nan, 3}}}"},
     {"f8e3m4[1,1] {{nan}}"},
     kPass},
    {"product_that_may_be_nan_off",
     kProductOfHoles,
     {"f8e3m4[4,1,2] {{{nan, 0.0625}}, {{nan, 0.0625}}, {{nan, 3}}, {{nan, 3}}}"},
     {"f8e3m4[1,1] {{12}}"},
     kFail},
    {"every_window_has_holes",
     kHoles,
     {"f32[1,1,2] {{{1, 1}}}", "f32[1,1,2] {{{inf, inf}}}"},
     {"f32[1,1,2] {{{nan, inf}}}"},
     kPass},
    {"zeros_between_groups",
     kGroups,
     {"f32[1,2,1] {{{1}, {1}}}", "f32[2,1,1] {{{inf}}, {{1}}}"},
     {"f32[1,2,1] {{{nan}, {nan}}}"},
     kPass},
    {"infinity_times_subnormal",
     kDot2,
     {"f32[2] {inf, 1}", "f32[2] {1e-45, 1}"},
     {"f32[] nan"},
     kPass},
    {"infinity_times_subnormal_kept",
     kDot2,
     {"f32[2] {inf, 1}", "f32[2] {1e-45, 1}"},
     {"f32[] inf"},
     kPass},
    {"infinity_meets_an_overflow",
     kDot2,
     {"f32[2] {-inf, 3e38}", "f32[2] {1, 3e38}"},
     {"f32[] nan"},
     kPass},
    {"f8_ceil_overflows", UNARY("ceil", "f8e3m4"), {"f8e3m4[] 15.5"}, {"f8e3m4[] inf"}, kPass},
    {"fnuz_ceil_has_one_zero",
     UNARY("ceil", "f8e5m2fnuz"),
     {"f8e5m2fnuz[] -0.25"},
     {"f8e5m2fnuz[] 0"},
     kPass},
    {"f16_log1p_of_xla",
     UNARY("log-plus-one", "f16"),
     {"f16[] 0.41845703125"},
     {"f16[] 0.34912109375"},
     kPass},
};
INSTANTIATE_TEST_SUITE_P(Measured, AcceptanceTest, testing::ValuesIn(kMeasured),
                         [](const auto& info) { return info.param.name; });

// Wrong answers, and right ones next to them.
const Case kCases[] = {
    {"zeros_between_groups_strict",
     kGroups,
     {"f32[1,2,1] {{{1}, {1}}}", "f32[2,1,1] {{{inf}}, {{1}}}"},
     {"f32[1,2,1] {{{inf}, {nan}}}"},
     kFail,
     kStrict},
    {"holes_are_no_other_number",
     kHoles,
     {"f32[1,1,2] {{{1, 1}}}", "f32[1,1,2] {{{inf, inf}}}"},
     {"f32[1,1,2] {{{nan, 1}}}"},
     kFail},
    {"product_with_a_zero", kProduct3, {"f32[3] {-2, 0, 3}"}, {"f32[] -0"}, kPass},
    {"gradient_that_overflows_on_the_way",
     kNormGrad,
     {"f16[2,1] {{100}, {1}}", "f16[1] {1}", "f16[1] {0}", "f16[1] {64}", "f16[2,1] {{100}, {0}}"},
     {"f16[2,1] {{-inf}, {-16}}", "f16[1] {1250}", "f16[1] {100}"},
     kPass},
    {"gradient_that_does_not_overflow",
     kNormGrad,
     {"f16[2,1] {{100}, {1}}", "f16[1] {1}", "f16[1] {0}", "f16[1] {64}", "f16[2,1] {{100}, {0}}"},
     {"f16[2,1] {{-970}, {-inf}}", "f16[1] {1250}", "f16[1] {100}"},
     kFail},
    {"product_with_what_may_be_zero_and_overflow",
     kProductAroundZero,
     {"f32[1] {1}", "f32[2] {3e38, 3e38}"},
     {"f32[] nan"},
     kPass},
    {"product_with_what_may_be_zero",
     kProductAroundZero,
     {"f32[1] {1}", "f32[2] {3, 3}"},
     {"f32[] nan"},
     kFail},
    {"product_with_a_zero_is_zero", kProduct3, {"f32[3] {-2, 0, 3}"}, {"f32[] 1"}, kFail},
    {"complex_product",
     kComplexProduct,
     {"c64[3] {(1, 2), (3, -1), (0, 1)}"},
     {"c64[] (-5, 5)"},
     kPass},
    {"complex_product_of_integers_is_exact",
     kComplexProduct,
     {"c64[3] {(1, 2), (3, -1), (0, 1)}"},
     {"c64[] (-5, 5.0000005)"},
     kFail},
    {"complex_product_rounds",
     kComplexProduct,
     {"c64[3] {(1.1, 2), (3, -1.3), (0, 1)}"},
     {"c64[] (-4.5700006, 5.8999996)"},
     kPass},
    {"complex_product_off",
     kComplexProduct,
     {"c64[3] {(1.1, 2), (3, -1.3), (0, 1)}"},
     {"c64[] (-4.57002, 5.9)"},
     kFail},
    {"infinity_in_a_sum_is_no_number",
     kDot2,
     {"f32[2] {inf, 1}", "f32[2] {1, 1}"},
     {"f32[] 3e38"},
     kFail},
    {"infinity_in_a_sum_is_no_nan",
     kDot2,
     {"f32[2] {inf, 1}", "f32[2] {1, 1}"},
     {"f32[] nan"},
     kFail},
    {"f8_ceil_is_not_16", UNARY("ceil", "f8e3m4"), {"f8e3m4[] 14.5"}, {"f8e3m4[] 15.5"}, kFail},
    {"add_right", BINARY("add", "f32"), {"f32[] 1.5", "f32[] 2.25"}, {"f32[] 3.75"}, kPass},
    {"add_off_by_one_ulp",
     BINARY("add", "f32"),
     {"f32[] 1.5", "f32[] 2.25"},
     {"f32[] 3.7500002"},
     kFail},
    {"add_off_by_two_ulp",
     BINARY("add", "f32"),
     {"f32[] 1.5", "f32[] 2.25"},
     {"f32[] 3.7500005"},
     kFail},
    {"add_relaxed_one_ulp",
     BINARY("add", "f32"),
     {"f32[] 1.5", "f32[] 2.25"},
     {"f32[] 3.7500002"},
     kPass,
     kRelaxed},
    {"tanh_right", UNARY("tanh", "f32"), {"f32[] 0.5"}, {"f32[] 0.46211717"}, kPass},
    {"tanh_off_by_20_ulp", UNARY("tanh", "f32"), {"f32[] 0.5"}, {"f32[] 0.46211776"}, kFail},
    {"tanh_above_one", UNARY("tanh", "f32"), {"f32[] 20"}, {"f32[] 1.0000001"}, kFail},
    {"tanh_f64_off_by_20_ulp",
     UNARY("tanh", "f64"),
     {"f64[] 0.5"},
     {"f64[] 0.46211715726001090"},
     kFail},
    {"tanh_f64_right", UNARY("tanh", "f64"), {"f64[] 0.5"}, {"f64[] 0.46211715726000973"}, kPass},
    {"exp_of_minus_infinity", UNARY("exponential", "f32"), {"f32[] -inf"}, {"f32[] 1e-45"}, kFail},
    {"subnormal_kept_in_strict",
     BINARY("add", "f32"),
     {"f32[] 1e-40", "f32[] 0"},
     {"f32[] 0"},
     kFail,
     kStrict},
    {"contraction_not_in_strict",
     kFma,
     {"f32[] 1.0000001", "f32[] 1.0000001", "f32[] -1.0000002"},
     {"f32[] 1.4210855e-14"},
     kFail,
     kStrict},
    {"no_contraction_through_abs",
     kFmaThroughAbs,
     {"f32[] 1.0000001", "f32[] 1.0000001", "f32[] -1.0000002"},
     {"f32[] 1.4210855e-14"},
     kFail},
    {"wrong_zero_sign_of_product",
     BINARY("multiply", "f32"),
     {"f32[] -1", "f32[] 0"},
     {"f32[] 0"},
     kFail},
    {"zero_sign_of_sum_is_free",
     BINARY("add", "f32"),
     {"f32[] 1", "f32[] -1"},
     {"f32[] -0"},
     kPass},
    {"zero_sign_of_sum_in_strict",
     BINARY("add", "f32"),
     {"f32[] 1", "f32[] -1"},
     {"f32[] -0"},
     kFail,
     kStrict},
    {"nan_is_not_a_number", BINARY("add", "f32"), {"f32[] 1", "f32[] 2"}, {"f32[] nan"}, kFail},
    {"number_is_not_nan",
     BINARY("subtract", "f32"),
     {"f32[] inf", "f32[] inf"},
     {"f32[] 0"},
     kFail},
    {"nan_payload_is_free",
     BINARY("subtract", "f32"),
     {"f32[] inf", "f32[] inf"},
     {"f32[] -nan"},
     kPass},
    {"maximum_drops_nan", BINARY("maximum", "f32"), {"f32[] nan", "f32[] 1"}, {"f32[] 1"}, kFail},
    {"maximum_drops_nan_relaxed",
     BINARY("maximum", "f32"),
     {"f32[] nan", "f32[] 1"},
     {"f32[] 1"},
     kPass,
     kRelaxed},
    {"divide_within_2_ulp",
     BINARY("divide", "f32"),
     {"f32[] 1", "f32[] 3"},
     {"f32[] 0.3333334"},
     kPass},
    {"divide_off_by_4_ulp",
     BINARY("divide", "f32"),
     {"f32[] 1", "f32[] 3"},
     {"f32[] 0.33333346"},
     kFail},
    {"integer_add_wraps", BINARY("add", "s8"), {"s8[] 127", "s8[] 1"}, {"s8[] -128"}, kPass},
    {"integer_add_saturates", BINARY("add", "s8"), {"s8[] 127", "s8[] 1"}, {"s8[] 127"}, kFail},
    {"integer_division_by_zero_is_open",
     BINARY("divide", "s32"),
     {"s32[] 7", "s32[] 0"},
     {"s32[] 123"},
     kOpen},
    {"float_to_int_in_range", kToInt, {"f32[] -2.7"}, {"s32[] -2"}, kPass},
    {"float_to_int_rounds_wrongly", kToInt, {"f32[] -2.7"}, {"s32[] -3"}, kFail},
    {"float_to_int_out_of_range_is_open", kToInt, {"f32[] 1e20"}, {"s32[] 5"}, kOpen},
    {"exact_sum_has_one_value",
     kReduceIntegers,
     {"f32[4] {1, 2, 3, 4}"},
     {"f32[] 10.000001"},
     kFail},
    {"exact_sum", kReduceIntegers, {"f32[4] {1, 2, 3, 4}"}, {"f32[] 10"}, kPass},
    {"exact_dot_has_one_value",
     kDot2,
     {"f32[2] {3, 4}", "f32[2] {5, 6}"},
     {"f32[] 39.000004"},
     kFail},
    {"exact_dot", kDot2, {"f32[2] {3, 4}", "f32[2] {5, 6}"}, {"f32[] 39"}, kPass},
    {"dot_with_swapped_operand_rows",
     kDot2,
     {"f32[2] {3, 4}", "f32[2] {5, 6}"},
     {"f32[] 38"},
     kFail},
    {"gather_right",
     kGather,
     {"f32[4] {1, 2, 3, 4}", "s32[2,1] {{3}, {9}}"},
     {"f32[2] {4, 4}"},
     kPass},
    {"gather_wrong_index",
     kGather,
     {"f32[4] {1, 2, 3, 4}", "s32[2,1] {{3}, {9}}"},
     {"f32[2] {4, 1}"},
     kFail},
    {"enumerated_reduction", kReduceSubtract3, {"f32[3] {1, 2, 4}"}, {"f32[] -7"}, kPass},
    {"enumerated_reduction_impossible", kReduceSubtract3, {"f32[3] {1, 2, 4}"}, {"f32[] 9"}, kFail},
    {"transform_overflows_before_it_is_scaled",
     kHermitianTransform,
     {"c64[4] {(0, 0), (0, 0), (-3e38, 0), (0, 0)}"},
     {"f32[7] {-inf, inf, inf, -inf, -inf, inf, inf}"},
     kOpen},
    {"product_rounded_at_the_end",
     kProductOfFour,
     {"f16[4] {3, 29, 11, 7}"},
     {"f16[] 6700"},
     kPass},
    {"product_rounded_on_the_way",
     kProductOfFour,
     {"f16[4] {3, 29, 11, 7}"},
     {"f16[] 6696"},
     kPass},
    {"product_that_is_exact", kProductOfFour, {"f16[4] {3, 5, 2, 7}"}, {"f16[] 210.1"}, kFail},
    {"sort_of_nothing", kSortOfNothing, {"f32[0,4] {}"}, {"f32[0,4] {}", "f32[0,4] {}"}, kPass},
    {"complex_holes_absent",
     kConvolutionOfHoles,
     {"c64[1,1,2] {{{(0, 0), (0, 0)}}}", "c64[1,1,1] {{{(inf, 1)}}}"},
     {"c64[1,1,3] {{{(nan, nan), (0, 0), (nan, nan)}}}"},
     kPass},
    {"complex_holes_times_infinity",
     kConvolutionOfHoles,
     {"c64[1,1,2] {{{(0, 0), (0, 0)}}}", "c64[1,1,1] {{{(inf, 1)}}}"},
     {"c64[1,1,3] {{{(nan, nan), (nan, nan), (nan, nan)}}}"},
     kPass},
    {"complex_holes_are_not_one",
     kConvolutionOfHoles,
     {"c64[1,1,2] {{{(0, 0), (0, 0)}}}", "c64[1,1,1] {{{(inf, 1)}}}"},
     {"c64[1,1,3] {{{(nan, nan), (1, 0), (nan, nan)}}}"},
     kFail},
    {"subnormal_scale_read_as_zero",
     kNormalize,
     {"f32[1] {0}", "f32[1] {-5.877472e-39}", "f32[1] {-100}", "f32[1] {0}"},
     {"f32[1] {-0}"},
     kPass},
    {"small_scale_is_not_zero",
     kNormalize,
     {"f32[1] {0}", "f32[1] {-5.877472e-37}", "f32[1] {-100}", "f32[1] {0}"},
     {"f32[1] {-0}"},
     kFail},
    {"product_stays_in_the_subnormals",
     kFadingProduct,
     {"f16[] 1"},
     {"f16[] 1.7881393e-07"},
     kPass},
    {"product_is_flushed", kFadingProduct, {"f16[] 1"}, {"f16[] 0"}, kPass},
    {"product_comes_back_from_the_subnormals", kFadingProduct, {"f16[] 1"}, {"f16[] 1e-3"}, kFail},
    {"sorted", kSort, {"f32[3] {3, 1, 2}"}, {"f32[3] {1, 2, 3}"}, kPass},
    {"not_sorted", kSort, {"f32[3] {3, 1, 2}"}, {"f32[3] {1, 3, 2}"}, kFail},
    {"ties_may_swap",
     kSortPairs,
     {"f32[3] {2, 1, 1}", "s32[3] {7, 8, 9}"},
     {"f32[3] {1, 1, 2}", "s32[3] {9, 8, 7}"},
     kPass},
    {"ties_may_not_duplicate",
     kSortPairs,
     {"f32[3] {2, 1, 1}", "s32[3] {7, 8, 9}"},
     {"f32[3] {1, 1, 2}", "s32[3] {9, 9, 7}"},
     kFail},
    {"ties_of_a_stable_sort",
     kSortPairsStable,
     {"f32[3] {2, 1, 1}", "s32[3] {7, 8, 9}"},
     {"f32[3] {1, 1, 2}", "s32[3] {9, 8, 7}"},
     kFail},
    {"rows_stay_together",
     kSortPairs,
     {"f32[3] {3, 1, 2}", "s32[3] {7, 8, 9}"},
     {"f32[3] {1, 2, 3}", "s32[3] {8, 7, 9}"},
     kFail},
    {"argmax_first_of_ties", kArgmax, {"f32[4] {1, 5, 5, 2}"}, {"f32[] 5", "s32[] 1"}, kPass},
    {"argmax_last_of_ties", kArgmax, {"f32[4] {1, 5, 5, 2}"}, {"f32[] 5", "s32[] 2"}, kFail},
    {"loop", kWhile, {"f32[] 8"}, {"f32[] 1"}, kPass},
    {"loop_off_by_one_trip", kWhile, {"f32[] 8"}, {"f32[] 2"}, kFail},
    {"branch", kConditional, {"pred[] true", "f32[] 2"}, {"f32[] -2"}, kPass},
    {"other_branch", kConditional, {"pred[] true", "f32[] 2"}, {"f32[] 2"}, kFail},
    {"complex_exponential",
     kComplexExp,
     {"c64[] (1, 2)"},
     {"c64[] (-1.1312044, 2.4717267)"},
     kPass},
    {"complex_exponential_wrong",
     kComplexExp,
     {"c64[] (1, 2)"},
     {"c64[] (-1.1313044, 2.4717267)"},
     kFail},
    {"fft_right",
     kFft4,
     {"c64[4] {(1, 0), (2, 0), (3, 0), (4, 0)}"},
     {"c64[4] {(10, 0), (-2, 2), (-2, 0), (-2, -2)}"},
     kPass},
    {"fft_wrong_direction",
     kFft4,
     {"c64[4] {(1, 0), (2, 0), (3, 0), (4, 0)}"},
     {"c64[4] {(10, 0), (-2, -2), (-2, 0), (-2, 2)}"},
     kFail},
    {"cholesky_right",
     kCholesky,
     {"f32[2,2] {{4, 9}, {2, 5}}"},
     {"f32[2,2] {{2, 77}, {1, 2}}"},
     kPass},
    {"cholesky_of_other_triangle",
     kCholesky,
     {"f32[2,2] {{4, 2}, {3, 5}}"},
     {"f32[2,2] {{2, 0}, {1, 2}}"},
     kFail},
    {"cholesky_of_a_diagonal_with_imaginary_parts",
     kComplexCholesky,
     {"c128[2,2] {{(1, 0), (0, 0)}, {(0, 0), (4, -2)}}"},
     {"c128[2,2] {{(1, 0), (0, 0)}, {(0, 0), (2, -1)}}"},
     kOpen},
    {"cholesky_of_a_real_diagonal",
     kComplexCholesky,
     {"c128[2,2] {{(1, 0), (0, 0)}, {(0, 0), (4, 0)}}"},
     {"c128[2,2] {{(1, 0), (0, 0)}, {(0, 0), (2, -1)}}"},
     kFail},
    {"solve_right",
     kSolve,
     {"f32[2,2] {{2, 9}, {1, 4}}", "f32[2,1] {{2}, {9}}"},
     {"f32[2,1] {{1}, {2}}"},
     kPass},
    {"solve_wrong",
     kSolve,
     {"f32[2,2] {{2, 9}, {1, 4}}", "f32[2,1] {{2}, {9}}"},
     {"f32[2,1] {{1}, {2.00001}}"},
     kFail},
    {"solve_of_a_subnormal_diagonal",
     kSolve,
     {"f32[2,2] {{1, 0}, {0, 5.877472e-39}}", "f32[2,1] {{0}, {0}}"},
     {"f32[2,1] {{nan}, {nan}}"},
     kOpen},
    {"solve_of_a_subnormal_diagonal_strictly",
     kSolve,
     {"f32[2,2] {{1, 0}, {0, 5.877472e-39}}", "f32[2,1] {{0}, {0}}"},
     {"f32[2,1] {{nan}, {nan}}"},
     kFail,
     Profile::kStrict},
    {"uniform_in_range", kUniform, {}, {"f32[4] {0, 0.25, 0.75, 0.5}"}, kPass},
    {"uniform_reaches_the_end", kUniform, {}, {"f32[4] {0, 0.25, 1, 0.5}"}, kFail},
    {"wrong_shape", BINARY("add", "f32"), {"f32[] 1", "f32[] 2"}, {"f32[1] {3}"}, kFail},
    {"wrong_element_type", BINARY("add", "f32"), {"f32[] 1", "f32[] 2"}, {"f64[] 3"}, kFail},
    {"missing_output",
     kSortPairs,
     {"f32[3] {3, 1, 2}", "s32[3] {7, 8, 9}"},
     {"f32[3] {1, 2, 3}"},
     kFail},
};
INSTANTIATE_TEST_SUITE_P(Cases, AcceptanceTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

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
