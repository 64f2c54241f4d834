// SPDX-License-Identifier: Apache-2.0
// Tests that each permission is used where it has an effect, and that its results are accepted.
#include <gtest/gtest.h>

#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "backends/selftest/elements.h"
#include "backends/selftest/legal_noise/noise_fast_convolution.h"
#include "generators/arguments.h"
#include "spec/base/status_testing.h"
#include "spec/ir/module.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

struct Row {
  const char* name;
  const char* module;
  Profile profile = Profile::kDefault;
  bool differs = true;  // some seed must give another result than the reference's
  const char* facts = "";
  int partitions = 1;
};

const Row kRows[] = {
    {"rounded_twice_on_the_way_to_f8",
     "ENTRY e { x = f32[2048] parameter(0) ROOT r = f8e4m3fn[2048] convert(x) }"},
    {"rounded_once_in_strict",
     "ENTRY e { x = f32[2048] parameter(0) ROOT r = f8e4m3fn[2048] convert(x) }", Profile::kStrict,
     false},
    {"rounding_skipped_before_a_wider_type",
     "ENTRY e { x = bf16[64] parameter(0) s = bf16[64] sqrt(x) ROOT r = f32[64] convert(s) }"},
    {"rounding_kept_before_arithmetic",
     "ENTRY e { x = f32[64] parameter(0) y = f32[64] add(x, x)"
     " ROOT r = f32[64] negate(y) }",
     Profile::kDefault, false},
    {"rounding_skipped_in_relaxed",
     "ENTRY e { x = f16[64] parameter(0) y = f16[64] parameter(1) s = f16[64] multiply(x, y)"
     " t = f16[8,8] reshape(s) ROOT r = f32[8,8] convert(t) }",
     Profile::kRelaxed},
    {"narrow_accumulator_of_f8",
     "ENTRY e { x = f8e4m3fn[8,200] parameter(0) y = f8e4m3fn[200,8] parameter(1)"
     " ROOT r = f32[8,8] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }"},
    {"narrow_accumulator_of_bf16_in_relaxed",
     "ENTRY e { x = bf16[8,9] parameter(0) y = bf16[9,8] parameter(1)"
     " ROOT r = bf16[8,8] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
     Profile::kRelaxed},
    {"operands_rounded_to_tf32_by_algorithm",
     "ENTRY e { x = f32[8,20] parameter(0) y = f32[20,8] parameter(1) ROOT r = f32[8,8] dot(x, y),"
     " lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_tf32_tf32_f32 }",
     Profile::kStrict},
    {"operands_rounded_to_bf16_by_algorithm",
     "ENTRY e { x = f32[8,20] parameter(0) y = f32[20,8] parameter(1) ROOT r = f32[8,8] dot(x, y),"
     " lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_bf16_bf16_f32 }",
     Profile::kStrict},
    {"operands_of_high_precision_in_relaxed",
     "ENTRY e { x = f32[8,20] parameter(0) y = f32[20,8] parameter(1) ROOT r = f32[8,8] dot(x, y),"
     " lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,default} }",
     Profile::kRelaxed},
    {"complex_product_contracted",
     "ENTRY e { x = c64[64] parameter(0) y = c64[64] parameter(1)"
     " ROOT r = c64[64] multiply(x, y) }"},
    {"complex_quotient_by_another_formula",
     "ENTRY e { x = c64[64] parameter(0) y = c64[64] parameter(1) ROOT r = c64[64] divide(x, y) }"},
    {"batch_norm_training_in_another_order",
     "ENTRY e { x = f32[5,3,7] parameter(0) s = f32[3] parameter(1) o = f32[3] parameter(2)"
     " ROOT r = (f32[5,3,7], f32[3], f32[3]) batch-norm-training(x, s, o), epsilon=0.01,"
     " feature_index=1 }"},
    {"batch_norm_inference_in_another_order",
     "ENTRY e { x = f32[5,3] parameter(0) s = f32[3] parameter(1) o = f32[3] parameter(2)"
     " m = f32[3] parameter(3) p = f32[3] parameter(4) v = f32[3] abs(p)"
     " ROOT r = f32[5,3] batch-norm-inference(x, s, o, m, v), epsilon=0.01, feature_index=1 }"},
    {"fft_by_another_algorithm",
     "ENTRY e { x = c64[3,24] parameter(0) ROOT r = c64[3,24] fft(x), fft_type=FFT,"
     " fft_length={24} }"},
    {"rfft_by_another_algorithm",
     "ENTRY e { x = f32[3,12] parameter(0) ROOT r = c64[3,7] fft(x), fft_type=RFFT,"
     " fft_length={12} }"},
    {"irfft_by_another_algorithm",
     "ENTRY e { y = f32[3,12] parameter(0) x = c64[3,7] fft(y), fft_type=RFFT, fft_length={12}"
     " ROOT r = f32[3,12] fft(x), fft_type=IRFFT, fft_length={12} }"},
    {"convolution_by_transforms_in_relaxed",
     "ENTRY e { x = f32[2,5,6,4] parameter(0) k = f32[3,2,2,6] parameter(1)"
     " ROOT r = f32[2,6,3,6] convolution(x, k), window={size=3x2 stride=1x2 pad=1_2x-1_2"
     " lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f,"
     " feature_group_count=2 }",
     Profile::kRelaxed},
    {"convolution_of_batch_groups_by_transforms_in_relaxed",
     "ENTRY e { x = f32[4,7,3] parameter(0) k = f32[3,3,4] parameter(1)"
     " ROOT r = f32[2,9,4] convolution(x, k), window={size=3 pad=0_0 lhs_dilate=2 rhs_dilate=2},"
     " dim_labels=b0f_0io->b0f, batch_group_count=2 }",
     Profile::kRelaxed},
    {"rounding_skipped_across_a_call",
     "double { p = bf16[64] parameter(0) ROOT d = f32[64] convert(p) }"
     " ENTRY e { x = bf16[64] parameter(0) s = bf16[64] sqrt(x)"
     " ROOT r = f32[64] call(s), to_apply=double }"},
    {"product_contracted_across_a_call",
     "body { p = f32[64] parameter(0) q = f32[64] parameter(1) ROOT m = f32[64] multiply(p, q) }"
     " ENTRY e { x = f32[64] parameter(0) y = f32[64] parameter(1) c = f32[64] call(x, y),"
     " to_apply=body ROOT r = f32[64] add(c, x) }"},
    {"triangular_solve_by_columns",
     "ENTRY e { x = f32[6,6] parameter(0) b = f32[6,2] parameter(1) i = s32[6,6] iota(),"
     " iota_dimension=0 j = s32[6,6] iota(), iota_dimension=1"
     " d = pred[6,6] compare(i, j), direction=EQ f = f32[] constant(9)"
     " n = f32[6,6] broadcast(f), dimensions={} a = f32[6,6] select(d, n, x)"
     " ROOT r = f32[6,2] triangular-solve(a, b), left_side=true, lower=true,"
     " unit_diagonal=false, transpose_a=TRANSPOSE }"},
    {"triangular_solve_by_large_inverses",
     "ENTRY e { b = f32[10,2] parameter(0) i = s32[10,10] iota(), iota_dimension=0"
     " j = s32[10,10] iota(), iota_dimension=1 d = pred[10,10] compare(i, j), direction=EQ"
     " f = f32[] constant(0.55) n = f32[10,10] broadcast(f), dimensions={}"
     " g = f32[] constant(-1.7) o = f32[10,10] broadcast(g), dimensions={}"
     " a = f32[10,10] select(d, n, o) ROOT r = f32[10,2] triangular-solve(a, b), left_side=true,"
     " lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE }"},
    {"triangular_solve_from_the_right_by_large_inverses",
     "ENTRY e { b = f32[2,10] parameter(0) i = s32[10,10] iota(), iota_dimension=0"
     " j = s32[10,10] iota(), iota_dimension=1 d = pred[10,10] compare(i, j), direction=EQ"
     " f = f32[] constant(0.55) n = f32[10,10] broadcast(f), dimensions={}"
     " g = f32[] constant(-1.7) o = f32[10,10] broadcast(g), dimensions={}"
     " a = f32[10,10] select(d, n, o) ROOT r = f32[2,10] triangular-solve(a, b), left_side=false,"
     " lower=false, unit_diagonal=false, transpose_a=NO_TRANSPOSE }"},
    {"holes_of_a_kernel_times_infinity",
     "ENTRY e { x = f32[1,12,1] parameter(0) i = s32[1,12,1] iota(), iota_dimension=1"
     " c = s32[] constant(5) n = s32[1,12,1] broadcast(c), dimensions={}"
     " p = pred[1,12,1] compare(i, n), direction=EQ f = f32[] constant(inf)"
     " g = f32[1,12,1] broadcast(f), dimensions={} y = f32[1,12,1] select(p, g, x)"
     " k = f32[3,1,2] parameter(1) ROOT r = f32[1,8,2] convolution(y, k),"
     " window={size=3 rhs_dilate=2}, dim_labels=b0f_0io->b0f }",
     Profile::kStrict},
    {"reciprocal_of_a_narrow_divisor",
     "ENTRY e { x = bf16[64] parameter(0) c = bf16[] constant(1.484375)"
     " b = bf16[64] broadcast(c), dimensions={} d = bf16[64] divide(x, b)"
     " ROOT r = f32[64] convert(d) }"},
    {"tolerance_of_the_module",
     "ENTRY e { x = f32[64] parameter(0) ROOT r = f32[64] tanh(x),"
     " result_accuracy={tolerance={atol=0.001,rtol=0.01,ulps=3}} }",
     Profile::kStrict},
    {"three_passes_by_algorithm",
     "ENTRY e { x = f32[8,20] parameter(0) y = f32[20,8] parameter(1) ROOT r = f32[8,8] dot(x, y),"
     " lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_bf16_bf16_f32_x3 }",
     Profile::kStrict},
    {"six_passes_by_algorithm",
     "ENTRY e { x = f32[8,20] parameter(0) y = f32[20,8] parameter(1) c = f32[] constant(0.7)"
     " b = f32[8,20] broadcast(c), dimensions={} z = f32[8,20] multiply(x, b)"
     " ROOT r = f32[8,8] dot(z, y), lhs_contracting_dims={1}, rhs_contracting_dims={0},"
     " algorithm=dot_bf16_bf16_f32_x6 }",
     Profile::kStrict},
    {"modulus_by_squares", "ENTRY e { x = c64[64] parameter(0) ROOT r = f32[64] abs(x) }"},
    {"sign_by_squares", "ENTRY e { x = c64[64] parameter(0) ROOT r = c64[64] sign(x) }"},
    {"long_quotients_in_relaxed",
     "ENTRY e { x = f32[64] parameter(0) c = f32[] constant(1e9)"
     " b = f32[64] broadcast(c), dimensions={} m = f32[64] multiply(x, b)"
     " d = f32[] constant(0.375) e = f32[64] broadcast(d), dimensions={}"
     " ROOT r = f32[64] remainder(m, e) }",
     Profile::kRelaxed},
    {"floor_of_what_is_not_rounded",
     "ENTRY e { x = f32[64] parameter(0) c = f32[] constant(100)"
     " b = f32[64] broadcast(c), dimensions={} m = f32[64] multiply(x, b) a = bf16[64] convert(m)"
     " ROOT r = bf16[64] floor(a) }",
     Profile::kRelaxed},
    {"compare_of_what_is_not_rounded",
     "ENTRY e { x = f32[64] parameter(0) a = bf16[64] convert(x) b = bf16[64] convert(x)"
     " t = f32[] constant(0.5) u = f32[64] broadcast(t), dimensions={} h = f32[64] multiply(x, u)"
     " g = bf16[64] convert(h) s = bf16[64] add(g, g)"
     " p = pred[64] compare(a, s), direction=LT ROOT r = (pred[64], f32[64]) tuple(p, h) }",
     Profile::kRelaxed},
    {"maximum_by_fact",
     "ENTRY e { x = f32[64] parameter(0) y = bf16[64] parameter(1) a = bf16[64] convert(x)"
     " m = bf16[64] maximum(a, y) ROOT r = f32[64] convert(m) }",
     Profile::kDefault, true, "excess.16bit"},
    {"nothing_by_fact_in_strict",
     "ENTRY e { x = f32[64] parameter(0) y = bf16[64] parameter(1) a = bf16[64] convert(x)"
     " m = bf16[64] maximum(a, y) ROOT r = f32[64] convert(m) }",
     Profile::kStrict, false, "excess.16bit"},
    {"one_pass_by_fact",
     "ENTRY e { x = f32[8,20] parameter(0) y = f32[20,8] parameter(1) ROOT r = f32[8,8] dot(x, y),"
     " lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
     Profile::kDefault, true, "dot.f32=bf16x1"},
    {"functions_of_a_tpu",
     "ENTRY e { x = f32[64] parameter(0) e = f32[64] exponential(x) ROOT r = f32[64] log(e) }",
     Profile::kDefault, true, "tpu_v2_v5e"},
    {"cholesky_by_columns",
     "ENTRY e { x = f32[6,6] parameter(0) i = s32[6,6] iota(), iota_dimension=0"
     " j = s32[6,6] iota(), iota_dimension=1 d = pred[6,6] compare(i, j), direction=EQ"
     " f = f32[] constant(40) n = f32[6,6] broadcast(f), dimensions={}"
     " a = f32[6,6] select(d, n, x) ROOT r = f32[6,6] cholesky(a), lower=true }"},
    {"sum_over_devices_in_strict",
     "a { p = f32[] parameter(0) q = f32[] parameter(1) ROOT r = f32[] add(p, q) }"
     " ENTRY e { x = f32[30,3] parameter(0), sharding={devices=[4,1]<=[4]} z = f32[] constant(0)"
     " ROOT r = f32[3] reduce(x, z), dimensions={0}, to_apply=a }",
     Profile::kStrict, true, "", 4},
    {"dot_over_devices_in_strict",
     "ENTRY e { x = f32[4,30] parameter(0) y = f32[30,4] parameter(1) ROOT r = f32[4,4] dot(x, y),"
     " lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
     Profile::kStrict, true, "", 4},
    {"features_over_devices",
     "ENTRY e { x = f32[2,9,8] parameter(0) k = f32[3,9,3] parameter(1)"
     " ROOT c = f32[2,3,8] convolution(x, k), window={size=3 pad=1_1}, dim_labels=bf0_oi0->bf0 }",
     Profile::kStrict, true, "", 4},
    {"updates_over_devices",
     "a { p = f32[] parameter(0) q = f32[] parameter(1) ROOT r = f32[] add(p, q) }"
     " ENTRY e { x = f32[3] parameter(0) j = s32[40,1] iota(), iota_dimension=0"
     " b = s32[40,1] and(j, j) t = s32[] constant(3) s = s32[40,1] broadcast(t), dimensions={}"
     " i = s32[40,1] remainder(b, s) u = f32[40] parameter(1)"
     " ROOT r = f32[3] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0},"
     " scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=a }",
     Profile::kStrict, true, "", 4},
    {"parts_of_16_bits",
     "ENTRY e { x = bf16[4,30] parameter(0) y = bf16[30,4] parameter(1)"
     " ROOT r = bf16[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
     Profile::kDefault, true, "", 4},
    {"integers_over_devices",
     "ENTRY e { x = s8[4,30] parameter(0) y = s8[30,4] parameter(1)"
     " ROOT r = s32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
     Profile::kStrict, false, "", 4},
};

class NoiseTest : public testing::TestWithParam<Row> {};

TEST_P(NoiseTest, IsNoiseAndLegal) {
  const Row& row = GetParam();
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(absl::StrCat("HloModule m\n", row.module)));
  std::vector<Shape> leaves;
  for (const Instruction* p : module->entry()->parameters()) leaves.push_back(p->shape());
  ExecuteRequest request;
  request.arguments = {
      generators::GenerateArguments(leaves, 5, generators::ArgumentStyle::kDefined)};
  DiffOptions options;
  options.profile = row.profile;
  Differ differ(*module, request, options);
  auto plain = MakeInProcessBackend("reference");
  RunOutcome expected = RunModule(**plain, *module, {}, request);
  ASSERT_TRUE(expected.has_values()) << expected.error.Text();
  int unlike = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    HLOCTS_ASSERT_OK_AND_ASSIGN(
        auto engine,
        MakeInProcessBackend(absl::StrCat(
            "legal-noise?seed=", seed, "&profile=", ProfileName(row.profile),
            "&partitions=", row.partitions, *row.facts == 0 ? "" : "&facts=", row.facts)));
    RunOutcome outcome = RunModule(*engine, *module, {}, request);
    ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
    for (size_t i = 0; i < outcome.result.outputs[0].size(); ++i) {
      unlike += !outcome.result.outputs[0][i].BitwiseEqual(expected.result.outputs[0][i]);
    }
    reports::Verdict verdict = differ.JudgeOutputs(outcome.result.outputs, engine->info().facts);
    // An inconclusive verdict is also correct: some permissions leave few bits to check.
    EXPECT_TRUE(verdict.kind == Outcome::kPass || verdict.kind == Outcome::kInconclusive)
        << "seed " << seed << ": " << verdict.reason;
  }
  EXPECT_EQ(unlike > 0, row.differs);
}

INSTANTIATE_TEST_SUITE_P(Permissions, NoiseTest, testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.name); });

// A call does not round: its computation may read a number that bf16 cannot represent.
TEST(NoiseAcrossCalls, UnroundedValuesPass) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto module,
      ParseModule("HloModule m\nwiden { p = bf16[64] parameter(0) ROOT d = f32[64] convert(p) }\n"
                  "ENTRY e { x = bf16[64] parameter(0) s = bf16[64] sqrt(x)\n"
                  " ROOT r = f32[64] call(s), to_apply=widen }"));
  ExecuteRequest request;
  request.arguments = {generators::GenerateArguments({Shape(PrimitiveType::kBF16, {64})}, 5,
                                                     generators::ArgumentStyle::kDefined)};
  int unrounded = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    auto engine = MakeInProcessBackend(absl::StrCat("legal-noise?seed=", seed));
    RunOutcome outcome = RunModule(**engine, *module, {}, request);
    ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
    for (float x : outcome.result.outputs[0][0].data<float>()) {
      unrounded += RoundTo(PrimitiveType::kBF16, x) != static_cast<double>(x) && !std::isnan(x);
    }
  }
  EXPECT_GT(unrounded, 0);
}

// The errors of both factors have the same sign. Some sum is near the bound 2 * 2^-8, and none
// exceeds the bound by more than the product of two errors.
TEST(OneSidedReadings, ComeNearTheBound) {
  SumStyle style;
  style.step = PrimitiveType::kF64;
  style.left = style.right = {8, 0x1p-8};
  generators::SplitMix64 random(1);
  double most = 0;
  for (int i = 0; i < 2000; ++i) {
    const double a = 1 + static_cast<double>(random.Below(1 << 20)) * 0x1p-20;
    const double b = -1 - static_cast<double>(random.Below(1 << 20)) * 0x1p-20;
    most = std::max(most, std::fabs(NoisySum(style, {{a, b}}, random) / (a * b) - 1));
  }
  EXPECT_GT(most, 1.8 * 0x1p-8);
  EXPECT_LE(most, 2.1 * 0x1p-8);
}

// The convolution of small integers by transforms must equal the exact one up to roundings.
TEST(FastConvolution, IsTheConvolution) {
  auto module = ParseModule(
      "HloModule m\nENTRY e { x = f32[2,5,6,4] parameter(0) k = f32[3,2,2,6] parameter(1)\n"
      " ROOT r = f32[2,6,3,6] convolution(x, k), window={size=3x2 stride=1x2 pad=1_2x-1_2\n"
      " lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f,\n"
      " feature_group_count=2 }");
  ASSERT_TRUE(module.ok()) << module.status();
  const Instruction& convolution = *(*module)->entry()->root();
  const reference::ConvolutionGeometry geometry =
      reference::ConvolutionGeometryOf(convolution, {2, 5, 6, 4}, {3, 2, 2, 6});
  std::vector<float> in(geometry.lhs_size), kernel(geometry.rhs_size), out(geometry.out_size),
      sums(geometry.out_size);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * 7 % 13) - 6;
  for (size_t i = 0; i < kernel.size(); ++i) kernel[i] = static_cast<float>(i * 5 % 11) - 5;
  ASSERT_TRUE(FastConvolution(geometry, *convolution.Get<Window>(Attr::kWindow), in, kernel, out));
  reference::ConvolutionKernel(reference::ValueSystem<float>(), geometry, in.data(), kernel.data(),
                               sums.data());
  EXPECT_NE(out, sums);
  for (size_t i = 0; i < out.size(); ++i) EXPECT_EQ(std::round(out[i]), sums[i]) << i;
}

}  // namespace
}  // namespace hlocts::backends
