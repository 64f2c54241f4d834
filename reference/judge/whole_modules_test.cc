// SPDX-License-Identifier: Apache-2.0
// Tests outputs of whole modules whose sets are too wide to check these outputs.
#include <random>

#include "absl/base/casts.h"
#include "absl/strings/str_format.h"
#include "reference/judge/cases_testing.h"
#include "reference/judge/centred/likely.h"
#include "spec/base/status_testing.h"

namespace hlocts::reference {
namespace {

// clang-format off
// Compares each number with itself, computed in another way: each result may be true or false.
const char kOpenMask[] = R"(ENTRY e {
  x = f32[4] parameter(0) l = f32[4] log(x) y = f32[4] exponential(l)
  m = pred[4] compare(y, x), direction=LT ROOT r = (pred[4], f32[4]) tuple(m, x) })";
// clang-format on

// An output whose elements may have any value remains unchecked, even if other outputs are exact.
TEST(OpenLeafTest, IsNoPass) {
  const JudgeResult result = JudgeCase({"",
                                        kOpenMask,
                                        {"f32[4] {1.7, 0.3, 5.1, 0.9}"},
                                        {"pred[4] {1, 0, 1, 0}", "f32[4] {1.7, 0.3, 5.1, 0.9}"},
                                        kOpen});
  EXPECT_EQ(result.outcome, Outcome::kInconclusive);
  EXPECT_TRUE(result.too_few_bits) << result.reason;
}

// 120 trips of y <- tanh(A y), where A is nearly a rotation of two pairs of coordinates. At the end
// the sets check nothing, but the statistical tests of lemma 44 do.
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
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(kLongRecurrence));
  const std::vector<Literal> arguments = Parse({"f32[4] {0.4, -0.2, 0.3, 0.7}"});
  auto result = Evaluate(*module, arguments);
  ASSERT_TRUE(result.ok());
  Literal output = *result;
  auto suspect = RunStatisticalTests(*module, arguments, {&output, 1}, {});
  ASSERT_TRUE(suspect.ok()) << suspect.status();
  EXPECT_EQ(suspect->elements, 4);
  EXPECT_FALSE(suspect->IsSuspect()) << suspect->most;
  output.mutable_data<float>()[2] *= 1.0003F;
  suspect = RunStatisticalTests(*module, arguments, {&output, 1}, {});
  ASSERT_TRUE(suspect.ok());
  EXPECT_TRUE(suspect->IsSuspect());
  EXPECT_EQ(suspect->element, 2);
}

// Results of correct engines that are far from a run in f64: errors of the first order (lemma 43)
// do not cover them.
struct FarButRight {
  const char *module, *argument, *output;
};
class FarButRightTest : public testing::TestWithParam<FarButRight> {};

TEST_P(FarButRightTest, IsNotSuspect) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(GetParam().module));
  const std::vector<Literal> arguments = Parse({GetParam().argument});
  const std::vector<Literal> output = Parse({GetParam().output});
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto suspect, RunStatisticalTests(*module, arguments, output, {}));
  EXPECT_FALSE(suspect.IsSuspect()) << suspect.most;
}
// clang-format off
INSTANTIATE_TEST_SUITE_P(Cases, FarButRightTest, testing::Values(
    // If the product is rounded down, it is below the least normal number and may be flushed.
    FarButRight{"ENTRY e { x = f32[1] parameter(0) y = f32[1] exponential(x) z = f32[1] log(y) c = f32[1] constant({1.17549435e-38}) ROOT r = f32[1] multiply(z, c) }",
                "f32[1] {1.0000001}", "f32[1] {0}"},
    // The subnormal base is read as zero.
    FarButRight{"ENTRY e { x = f16[1] parameter(0) y = f16[1] constant({1.0014e-05}) ROOT r = f16[1] power(x, y) }",
                "f16[1] {3.0518e-05}", "f16[1] {0}"},
    // Either update may be the last. tanh is flat near their mean.
    FarButRight{"o { a = f32[] parameter(0) ROOT b = f32[] parameter(1) } ENTRY e { x = f32[2] parameter(0) y = f32[1] constant({0}) i = s32[2,1] constant({{0}, {0}}) u = f32[2,1] reshape(x) s = f32[1] scatter(y, i, u), update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=o z = f32[1] add(s, s) ROOT r = f32[1] tanh(z) }",
                "f32[2] {0.7, 100}", "f32[1] {0.88535166}"},
    // The angle has an error of many turns.
    FarButRight{"ENTRY e { x = f32[3] parameter(0) y = f32[3] constant({1e30, 3, -7}) d = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0} ROOT r = f32[] sine(d) }",
                "f32[3] {1.3, 2.7, 5.1}", "f32[] -0.9"},
    // The angle of the first cosine is unknown. Power and second cosine are flat in the f64 run.
    FarButRight{"ENTRY e { p = bf16[2] parameter(0) x = bf16[1] slice(p), slice={[0:1]} y = bf16[1] slice(p), slice={[1:2]} a = bf16[1] power(x, y) c = bf16[1] cosine(a) b = bf16[1] power(a, c) ROOT r = bf16[1] cosine(b) }",
                "bf16[2] {1.00025555e+30, 0.734375}", "bf16[1] {-0.4921875}"},
    // If its operands are flushed, atan2 is pi or -pi; the square is flat at the mean of both.
    FarButRight{"ENTRY e { p = f32[2] parameter(0) y = f32[1] slice(p), slice={[0:1]} x = f32[1] slice(p), slice={[1:2]} a = f32[1] atan2(y, x) d = f32[] dot(a, a), lhs_contracting_dims={0}, rhs_contracting_dims={0} o = f32[] constant(1.5) ROOT r = f32[] add(d, o) }",
                "f32[2] {-5.9e-39, -1.17e-38}", "f32[] 11.369604"},
    // The partial sum of the positive terms overflows.
    FarButRight{"ENTRY e { x = f32[4] parameter(0) y = f32[4] constant({1, 1, 1, 1}) d = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0} c = f32[] constant(7e37) ROOT r = f32[] minimum(d, c) }",
                "f32[4] {3e38, 2e38, -3e38, -1.5e38}", "f32[] 7e37"},
    // The square of the slope of the second root underflows in f64.
    FarButRight{"ENTRY e { x = f64[1] parameter(0) y = f64[1] rsqrt(x) z = f64[1] cosh(y) ROOT r = f64[1] rsqrt(z) }",
                "f64[1] {1e-05}", "f64[1] {3.0375825900903767e-69}"},
    // A function of a sum that cancels may be steeper in other executions than in the f64 run.
    FarButRight{"ENTRY e { x = f32[3] parameter(0) y = f32[3] constant({1e8, 1, -1e8}) d = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0} ROOT r = f32[] exponential(d) }",
                "f32[3] {1, 0.7, 1}", "f32[] 2980.958"}));
// clang-format on

// A long loop fills the tape of its run. Then no more arrays are kept, and no output is tested.
TEST(LikelyTest, AFullRecordKeepsNoFurtherArrays) {
  auto module = ParseModule(R"(HloModule m
body { s = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[8] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one)
  y = f32[8] sine(x) ROOT r = (s32[], f32[8]) tuple(j, y) }
less { s = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(500) ROOT r = pred[] compare(i, n), direction=LT }
ENTRY e { x = f32[8] parameter(0) z = s32[] constant(0) t = (s32[], f32[8]) tuple(z, x)
  w = (s32[], f32[8]) while(t), condition=less, body=body
  ROOT r = f32[8] get-tuple-element(w), index=1 })");
  ASSERT_TRUE(module.ok()) << module.status();
  const std::vector<Literal> arguments(1, Literal(Shape(PrimitiveType::kF32, {8})));
  const auto nodes = [&](int64_t memory, bool can_sweep) {
    JudgeOptions options;
    options.memory_bytes_max = memory;
    const auto run = ReferencePointRun::Of(**module, arguments, options);
    HLOCTS_CHECK(run.ok());
    EXPECT_EQ((*run)->CanSweep(0), can_sweep);
    return (*run)->nodes().size();
  };
  EXPECT_GT(nodes(int64_t{1} << 30, true), 500u);
  EXPECT_LT(nodes(int64_t{1} << 16, false), 50u);
}

// If 4,096 nearly equal products are added in order in f32, their errors have the same sign.
TEST(LikelyTest, NearlyEqualTermsErrAlike) {
  auto module = ParseModule(
      "ENTRY e { a = f32[4096] parameter(0) b = f32[4096] parameter(1) "
      "ROOT d = f32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0} }");
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<Literal> arguments(2, Literal(Shape(PrimitiveType::kF32, {4096})));
  Literal output(Shape::Scalar(PrimitiveType::kF32));
  float sum = 0;
  for (int k = 0; k < 4096; ++k) {
    const float x = 1 + static_cast<float>(k % 64) * 0x1p-23F;
    const float y = 0.100021F + static_cast<float>(k / 64) * 0x1p-27F;
    arguments[0].mutable_data<float>()[k] = x;
    arguments[1].mutable_data<float>()[k] = y;
    const float product = x * y;
    sum += product;
  }
  output.mutable_data<float>()[0] = sum;
  const auto found = RunStatisticalTests(**module, arguments, {&output, 1}, {});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_FALSE(found->IsSuspect()) << found->most;
  EXPECT_GT(found->most, 0.1);
}

// 64 sums of 512 products each. The factors are (0.37 k² mod 1) - 0.4. The products are added in
// order or by size, in f32 or in a coarser accumulator; sum 40 may lack one product.
class LikelyDotTest : public testing::Test {
 protected:
  static constexpr int kRows = 64, kTerms = 512;
  static double At(int64_t k) { return std::fmod(0.37 * static_cast<double>(k * k), 1.0) - 0.4; }
  StatisticalTestResult Find(float unit, int64_t without, bool by_size = false) {
    auto module = ParseModule(
        "ENTRY e { a = f32[64,512] parameter(0) b = f32[512] parameter(1) "
        "ROOT d = f32[64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }");
    EXPECT_TRUE(module.ok()) << module.status();
    std::vector<Literal> arguments = {Literal(Shape(PrimitiveType::kF32, {kRows, kTerms})),
                                      Literal(Shape(PrimitiveType::kF32, {kTerms}))};
    auto a = arguments[0].mutable_data<float>(), b = arguments[1].mutable_data<float>();
    for (int64_t i = 0; i < kRows * kTerms; ++i) a[i] = static_cast<float>(At(i));
    for (int64_t k = 0; k < kTerms; ++k) b[k] = static_cast<float>(At(k + 77));
    Literal output(Shape(PrimitiveType::kF32, {kRows}));
    for (int64_t i = 0; i < kRows; ++i) {
      std::vector<float> terms;
      for (int64_t k = 0; k < kTerms; ++k) {
        if (i != 40 || k != without) terms.push_back(a[i * kTerms + k] * b[k]);
      }
      if (by_size) std::sort(terms.begin(), terms.end(), std::greater<>());
      float sum = 0;
      for (float term : terms) {
        sum += term;
        if (unit > 0) sum = std::round(sum / unit) * unit;
      }
      output.mutable_data<float>()[i] = sum;
    }
    const auto found = RunStatisticalTests(**module, arguments, {&output, 1}, {});
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? *found : StatisticalTestResult();
  }
};

TEST_F(LikelyDotTest, AnyOrderIsNotMarkedAndFaultsAre) {
  const StatisticalTestResult in_order = Find(0, -1);
  EXPECT_FALSE(in_order.IsSuspect()) << in_order.most;
  EXPECT_EQ(in_order.elements, kRows) << "a sum of certain operands is tested whole";
  EXPECT_TRUE(in_order.IsResolved());
  EXPECT_EQ(in_order.test, StatisticalTestResult::Test::kTerms);
  // Adds all positive products first: no other order has larger partial sums.
  EXPECT_FALSE(Find(0, -1, true).IsSuspect()) << Find(0, -1, true).most;
  const StatisticalTestResult dropped = Find(0, 100);
  EXPECT_TRUE(dropped.IsSuspect()) << dropped.most;
  EXPECT_EQ(dropped.element, 40);
  // No single element is improbable enough, but all of them together are.
  const StatisticalTestResult coarse = Find(0x1p-14F, -1);
  EXPECT_TRUE(coarse.IsSuspect()) << coarse.most;
  EXPECT_EQ(coarse.test, StatisticalTestResult::Test::kVariance);
}

// The square of a sum cannot agree by terms, so sets as wide as the tests' limit must have bits.
TEST_F(LikelyDotTest, OtherOutputsAreResolvedByBits) {
  auto module = ParseModule(
      "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) } "
      "ENTRY e { a = f32[4096] parameter(0) z = f32[] constant(0) "
      "s = f32[] reduce(a, z), dimensions={0}, to_apply=add ROOT r = f32[] multiply(s, s) }");
  ASSERT_TRUE(module.ok()) << module.status();
  Literal argument(Shape(PrimitiveType::kF32, {4096})), output(Shape::Scalar(PrimitiveType::kF32));
  for (float& one : argument.mutable_data<float>()) one = 0.1F;
  const float right = 409.6F * 409.6F;
  for (const float value : {right, 0.98F * right}) {
    output.mutable_data<float>()[0] = value;
    const auto found = RunStatisticalTests(**module, {argument}, {&output, 1}, {});
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->bits > 5, value == right) << found->bits;
    EXPECT_EQ(found->IsSuspect(), value != right) << found->most;
  }
}

// A sum, or all prefix sums, of terms with unit variance. One term is added `times` times.
class TermsTest : public testing::TestWithParam<bool> {
 protected:
  StatisticalTestResult Find(int64_t altered, float times, bool narrow = false) {
    const int64_t count = static_cast<int64_t>(terms_.size());
    auto module = ParseModule(absl::StrFormat(
        GetParam()
            ? "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) } "
              "ENTRY e { a = f32[%1$d] parameter(0) z = f32[] constant(0) ROOT r = f32[%1$d] "
              "reduce-window(a, z), window={size=%1$d pad=%2$d_0}, to_apply=add }"
            : "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) } "
              "ENTRY e { a = f32[%1$d] parameter(0) z = f32[] constant(0) "
              "ROOT r = f32[] reduce(a, z), dimensions={0}, to_apply=add }",
        count, count - 1));
    EXPECT_TRUE(module.ok()) << module.status();
    Literal argument(Shape(PrimitiveType::kF32, {count}));
    Literal output(GetParam() ? argument.shape() : Shape::Scalar(PrimitiveType::kF32));
    float sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      argument.mutable_data<float>()[i] = terms_[i];
      sum += i == altered ? times * terms_[i] : terms_[i];
      if (narrow)
        sum = absl::bit_cast<float>((absl::bit_cast<uint32_t>(sum) + 0x8000) & 0xffff0000);
      output.mutable_data<float>()[GetParam() ? i : 0] = sum;
    }
    const auto found = RunStatisticalTests(**module, {argument}, {&output, 1}, {});
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? *found : StatisticalTestResult();
  }
  void ExpectThatFaultsAreSeen(int64_t altered) {
    const StatisticalTestResult right = Find(-1, 1);
    EXPECT_EQ(right.test == StatisticalTestResult::Test::kTerms, right.bits == 0);
    EXPECT_TRUE(right.IsResolved());
    EXPECT_FALSE(right.IsSuspect());
    EXPECT_EQ(right.elements, GetParam() ? static_cast<int64_t>(terms_.size()) : 1);
    for (const float times : {0.0F, 2.0F, -1.0F}) {
      const StatisticalTestResult found = Find(altered, times);
      EXPECT_TRUE(found.IsSuspect() || !found.IsResolved()) << times;
    }
    const StatisticalTestResult narrow = Find(-1, 1, true);
    EXPECT_TRUE(narrow.IsSuspect() || !narrow.IsResolved()) << "bf16 partial sums";
  }
  std::vector<float> terms_;
};
INSTANTIATE_TEST_SUITE_P(Sums, TermsTest, testing::Bool());

TEST_P(TermsTest, OneTermOfVeryManyIsSeen) {
  std::mt19937_64 bits(7);
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < 131072; ++i) terms_.push_back(normal(bits));
  for (int64_t i = 131072; i-- > 0;) terms_.push_back(-terms_[i]);
  int64_t altered = 100000;
  while (std::fabs(terms_[altered]) < 1) ++altered;
  ExpectThatFaultsAreSeen(altered);
}

TEST_P(TermsTest, OneTermOfASumThatIsZeroIsSeen) {
  for (int64_t i = 0; i < 1024; ++i) {
    const float half = 1 + static_cast<float>(i / 2 % 97) / 97;
    terms_.push_back(i < 512 ? half : -terms_[i - 512]);
  }
  ExpectThatFaultsAreSeen(300);
}

}  // namespace
}  // namespace hlocts::reference
