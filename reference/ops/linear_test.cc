// SPDX-License-Identifier: Apache-2.0
// cholesky, triangular-solve, fft, batch-norm-*.
#include <cmath>
#include <random>

#include "reference/ops/module_testing.h"

namespace hlocts::reference {
namespace {

TEST(Cholesky, ReadsAndWritesOneTriangle) {
  // l = {{2,0},{3,1}}: l l^T = {{4,6},{6,10}}.
  const char* entry = "a = f32[2,2] parameter(0) ROOT c = f32[2,2] cholesky(a), lower=";
  EXPECT_EQ(ResultOf(absl::StrCat(entry, "true"), "", {"f32[2,2] {{4,nan},{6,10}}"}),
            LeafTexts({"f32[2,2] {{2,0},{3,1}}"}));
  EXPECT_EQ(ResultOf(absl::StrCat(entry, "false"), "", {"f32[2,2] {{4,6},{nan,10}}"}),
            LeafTexts({"f32[2,2] {{2,3},{0,1}}"}));
}

TEST(Cholesky, ComplexUsesTheConjugateAndIgnoresTheDiagonalsImaginaryPart) {
  // l = {{2,0},{1+i,3}}: l l^H = {{4,2-2i},{2+2i,11}}.
  const char* entry = "a = c128[2,2] parameter(0) ROOT c = c128[2,2] cholesky(a), lower=";
  EXPECT_EQ(
      ResultOf(absl::StrCat(entry, "true"), "", {"c128[2,2] {{(4,5),(0,0)},{(2,2),(11,-7)}}"}),
      LeafTexts({"c128[2,2] {{(2,0),(0,0)},{(1,1),(3,0)}}"}));
  EXPECT_EQ(
      ResultOf(absl::StrCat(entry, "false"), "", {"c128[2,2] {{(4,0),(2,-2)},{(0,0),(11,0)}}"}),
      LeafTexts({"c128[2,2] {{(2,-0),(1,-1)},{(0,0),(3,-0)}}"}));
}

TEST(Cholesky, OneBadMatrixOfABatchIsNanAlone) {
  EXPECT_EQ(ResultOf("a = f32[2,2,2] parameter(0) ROOT c = f32[2,2,2] cholesky(a), lower=true", "",
                     {"f32[2,2,2] {{{1,0},{2,1}},{{4,6},{6,10}}}"}),
            LeafTexts({"f32[2,2,2] {{{nan,0},{nan,nan}},{{2,0},{3,1}}}"}));
}

using Complex = std::complex<double>;
constexpr int kBatch = 2, kM = 4, kK = 3;  // systems, unknowns, right-hand sides

struct SolveFlags {
  bool left, lower, unit;
  std::string transpose;
  int rows() const { return left ? kM : kK; }
  int columns() const { return left ? kK : kM; }
};

std::string SolveText(const SolveFlags& flags) {
  const std::string b = absl::StrCat("c128[2,", flags.rows(), ",", flags.columns(), "]");
  return absl::StrCat("a = c128[2,4,4] parameter(0) b = ", b, " parameter(1) ROOT x = ", b,
                      " triangular-solve(a, b), left_side=", flags.left ? "true" : "false",
                      ", lower=", flags.lower ? "true" : "false",
                      ", unit_diagonal=", flags.unit ? "true" : "false",
                      ", transpose_a=", flags.transpose);
}

// Element i, j of the matrix that the flags make of `a`.
Complex OpA(const SolveFlags& flags, const Complex* a, int i, int j) {
  const bool plain = flags.transpose == "NO_TRANSPOSE";
  const int r = plain ? i : j, c = plain ? j : i;
  if (r == c && flags.unit) return 1;
  if (r != c && (r > c) != flags.lower) return 0;
  const Complex v = a[r * kM + c];
  return flags.transpose == "ADJOINT" ? std::conj(v) : v;
}

// op(a) x, or x op(a), is b.
void ExpectSolves(const SolveFlags& flags, const Complex* a, const Complex* x, const Complex* b) {
  const int columns = flags.columns();
  for (int i = 0; i < flags.rows(); ++i) {
    for (int j = 0; j < columns; ++j) {
      Complex sum = 0;
      for (int k = 0; k < kM; ++k) {
        sum += flags.left ? OpA(flags, a, i, k) * x[k * columns + j]
                          : x[i * columns + k] * OpA(flags, a, k, j);
      }
      const Complex want = b[i * columns + j];
      ASSERT_LT(std::abs(sum - want), 1e-9 * (1 + std::abs(want))) << SolveText(flags);
    }
  }
}

// Small whole numbers, with 2 + i on the diagonal of each matrix.
void CheckSolve(const SolveFlags& flags, std::mt19937& random) {
  auto draw = [&] { return static_cast<double>(static_cast<int>(random() % 7) - 3); };
  const std::unique_ptr<Module> module = ModuleOf(SolveText(flags));
  Literal a(Shape(PrimitiveType::kC128, {kBatch, kM, kM})),
      b(Shape(PrimitiveType::kC128, {kBatch, flags.rows(), flags.columns()}));
  Complex* pa = a.mutable_data<Complex>().data();
  for (int i = 0; i < kBatch * kM * kM; ++i) pa[i] = {draw(), draw()};
  for (int i = 0; i < kBatch * kM; ++i) pa[i / kM * kM * kM + i % kM * (kM + 1)] = {2, 1};
  for (Complex& v : b.mutable_data<Complex>()) v = {draw(), draw()};
  absl::StatusOr<Literal> x = Evaluate(*module, {a, b});
  ASSERT_TRUE(x.ok()) << SolveText(flags) << x.status();
  for (int batch = 0; batch < kBatch; ++batch) {
    const int at = batch * kM * kK;
    ExpectSolves(flags, pa + batch * kM * kM, x->data<Complex>().data() + at,
                 b.data<Complex>().data() + at);
  }
}

TEST(TriangularSolve, SolvesForAllFlags) {
  std::mt19937 random(3);
  for (int flags = 0; flags < 8; ++flags) {
    for (const char* transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
      CheckSolve({(flags & 4) != 0, (flags & 2) != 0, (flags & 1) != 0, transpose}, random);
    }
  }
}

TEST(TriangularSolve, NeverReadsTheOtherTriangle) {
  EXPECT_EQ(ResultOf("a = f32[2,2] parameter(0) b = f32[2,1] parameter(1) ROOT x = f32[2,1] "
                     "triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=false, "
                     "transpose_a=NO_TRANSPOSE",
                     "", {"f32[2,2] {{2,nan},{1,4}}", "f32[2,1] {{6},{11}}"}),
            LeafTexts({"f32[2,1] {{3},{2}}"}));
}

TEST(Fft, ForwardHasNoFactorAndInverseDivides) {
  EXPECT_EQ(ResultOf("x = c64[4] parameter(0) ROOT y = c64[4] fft(x), fft_type=FFT, fft_length={4}",
                     "", {"c64[4] {(1,0),(2,0),(3,0),(4,0)}"}),
            LeafTexts({"c64[4] {(10,0),(-2,2),(-2,0),(-2,-2)}"}));
  EXPECT_EQ(
      ResultOf("x = c64[4] parameter(0) ROOT y = c64[4] fft(x), fft_type=IFFT, fft_length={4}", "",
               {"c64[4] {(10,0),(-2,2),(-2,0),(-2,-2)}"}),
      LeafTexts({"c64[4] {(1,0),(2,0),(3,0),(4,0)}"}));
}

TEST(Fft, RealTransformsKeepHalf) {
  EXPECT_EQ(
      ResultOf("x = f64[4] parameter(0) ROOT y = c128[3] fft(x), fft_type=RFFT, fft_length={4}", "",
               {"f64[4] {1,2,3,4}"}),
      LeafTexts({"c128[3] {(10,0),(-2,2),(-2,0)}"}));
  // Imaginary parts of the constant and the Nyquist entry are ignored.
  EXPECT_EQ(
      ResultOf("x = c128[3] parameter(0) ROOT y = f64[4] fft(x), fft_type=IRFFT, fft_length={4}",
               "", {"c128[3] {(10,7),(-2,2),(-2,-9)}"}),
      LeafTexts({"f64[4] {1,2,3,4}"}));
}

TEST(Fft, OddRealLengthsComeBack) {
  const char* entry =
      "x = f64[2,3,5] parameter(0) y = c128[2,3,3] fft(x), fft_type=RFFT, fft_length={2,3,5} "
      "ROOT z = f64[2,3,5] fft(y), fft_type=IRFFT, fft_length={2,3,5}";
  Literal x(Shape(PrimitiveType::kF64, {2, 3, 5}));
  int seed = 1;
  for (double& v : x.mutable_data<double>()) v = (seed = seed * 31 % 101);
  absl::StatusOr<Literal> z = Evaluate(*ModuleOf(entry), {x});
  ASSERT_TRUE(z.ok()) << z.status();
  for (int i = 0; i < 30; ++i) EXPECT_NEAR(z->data<double>()[i], x.data<double>()[i], 1e-13);
}

TEST(Fft, AnEmptyAxisGivesAnEmptyResult) {
  EXPECT_EQ(ResultOf("x = c64[0] parameter(0) ROOT y = c64[0] fft(x), fft_type=FFT, fft_length={0}",
                     "", {"c64[0] {}"}),
            LeafTexts({"c64[0] {}"}));
}

TEST(BatchNorm, TrainingUsesTheMomentsOfEachFeature) {
  // Feature 0: 1, 3 (mean 2, variance 1); feature 1: 10, 18 (mean 14, variance 16), epsilon 0.
  EXPECT_EQ(
      ResultOf(
          "x = f32[2,2] parameter(0) s = f32[2] parameter(1) o = f32[2] parameter(2) ROOT b = "
          "(f32[2,2], f32[2], f32[2]) batch-norm-training(x, s, o), epsilon=0, feature_index=1",
          "", {"f32[2,2] {{1,10},{3,18}}", "f32[2] {2,3}", "f32[2] {100,200}"}),
      LeafTexts({"f32[2,2] {{98,197},{102,203}}", "f32[2] {2,14}", "f32[2] {1,16}"}));
}

TEST(BatchNorm, InferenceUsesTheGivenMoments) {
  EXPECT_EQ(
      ResultOf(
          "x = f32[1,2] parameter(0) s = f32[2] parameter(1) o = f32[2] parameter(2) m = f32[2] "
          "parameter(3) v = f32[2] parameter(4) ROOT b = f32[1,2] batch-norm-inference(x, s, o, m, "
          "v), "
          "epsilon=1, feature_index=1",
          "", {"f32[1,2] {{5,7}}", "f32[2] {2,2}", "f32[2] {0,1}", "f32[2] {1,3}", "f32[2] {3,0}"}),
      LeafTexts({"f32[1,2] {{4,9}}"}));
}

TEST(BatchNorm, GradByItsFormulas) {
  // One feature: x = 1, 3; mean 2, variance 3, epsilon 1; grad = 4, 8. c = mean(4*-1, 8*1)/4 = 0.5,
  // d = 6; scale/2 * (grad - d - c*(x - mean)).
  EXPECT_EQ(
      ResultOf(
          "x = f32[2,1] parameter(0) s = f32[1] parameter(1) m = f32[1] parameter(2) v = f32[1] "
          "parameter(3) g = f32[2,1] parameter(4) ROOT b = (f32[2,1], f32[1], f32[1]) "
          "batch-norm-grad(x, s, m, v, g), epsilon=1, feature_index=1",
          "",
          {"f32[2,1] {{1},{3}}", "f32[1] {10}", "f32[1] {2}", "f32[1] {3}", "f32[2,1] {{4},{8}}"}),
      LeafTexts({"f32[2,1] {{-7.5},{7.5}}", "f32[1] {2}", "f32[1] {12}"}));
}

}  // namespace
}  // namespace hlocts::reference
