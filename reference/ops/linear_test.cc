// SPDX-License-Identifier: Apache-2.0
// Tests cholesky, triangular-solve, fft and batch-norm-*.
#include <cmath>
#include <random>

#include "reference/ops/module_testing.h"
#include "spec/base/status_testing.h"

namespace hlocts::reference {
namespace {

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

// Returns element (i, j) of op(a), the matrix that the flags define.
Complex OpA(const SolveFlags& flags, const Complex* a, int i, int j) {
  const bool plain = flags.transpose == "NO_TRANSPOSE";
  const int r = plain ? i : j, c = plain ? j : i;
  if (r == c && flags.unit) return 1;
  if (r != c && (r > c) != flags.lower) return 0;
  const Complex v = a[r * kM + c];
  return flags.transpose == "ADJOINT" ? std::conj(v) : v;
}

// Expects op(a) x = b, or x op(a) = b.
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

// Checks solves of small whole numbers, with 2 + i on the diagonal of each matrix.
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

TEST(Fft, OddRealLengthsComeBack) {
  const char* entry =
      "x = f64[2,3,5] parameter(0) y = c128[2,3,3] fft(x), fft_type=RFFT, fft_length={2,3,5} "
      "ROOT z = f64[2,3,5] fft(y), fft_type=IRFFT, fft_length={2,3,5}";
  Literal x(Shape(PrimitiveType::kF64, {2, 3, 5}));
  int seed = 1;
  for (double& v : x.mutable_data<double>()) v = (seed = seed * 31 % 101);
  HLOCTS_ASSERT_OK_AND_ASSIGN(Literal z, Evaluate(*ModuleOf(entry), {x}));
  for (int i = 0; i < 30; ++i) EXPECT_NEAR(z.data<double>()[i], x.data<double>()[i], 1e-13);
}

}  // namespace
}  // namespace hlocts::reference
