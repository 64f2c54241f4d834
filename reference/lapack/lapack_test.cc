// SPDX-License-Identifier: Apache-2.0
// Tests that each routine's results satisfy their defining equations far below an ulp of f64, on
// matrices of every size that is a special case.
#include <cmath>
#include <random>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "reference/lapack/factorizations.h"
#include "reference/ops/module_testing.h"

namespace hlocts::reference {
namespace {

constexpr long double kClose = 1e-16L;

WideMatrix Random(int64_t rows, int64_t columns, bool complex, uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal;
  WideMatrix a = WideMatrix::Zero(rows, columns);
  for (Wide& x : a.at) x = {normal(bits), complex ? normal(bits) : 0.0};
  return a;
}

WideMatrix Hermitian(int64_t n, bool complex, uint64_t seed) {
  return HermitianFrom(Random(n, n, complex, seed), /*lower=*/true);
}

long double Off(const WideMatrix& a, const WideMatrix& b) { return OneNorm(Difference(a, b)); }

long double DepartureFromUnitary(const WideMatrix& q) {
  return Off(Product(ConjugateTransposed(q), q), WideMatrix::Identity(q.columns, q.columns));
}

class Factorizations : public testing::TestWithParam<bool> {};  // true: complex
INSTANTIATE_TEST_SUITE_P(, Factorizations, testing::Bool());

TEST_P(Factorizations, CholeskyMultipliesBack) {
  for (int64_t n : {1, 2, 7}) {
    const WideMatrix b = Random(n, n, GetParam(), n);
    const WideMatrix a = Product(b, ConjugateTransposed(b));
    WideMatrix l;
    ASSERT_EQ(FactorCholesky(a, l), 0);
    EXPECT_LT(Off(a, Product(l, ConjugateTransposed(l))), kClose * OneNorm(a));
  }
}

TEST(Cholesky, NamesTheMinorThatIsNotPositive) {
  WideMatrix a = WideMatrix::Identity(4, 4), l;
  a(2, 2) = -1;
  EXPECT_EQ(FactorCholesky(a, l), 3);
}

TEST_P(Factorizations, LuMultipliesBackAndItsMultipliersAreSmall) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{5, 5}, {6, 3}, {3, 6}}) {
    WideMatrix a = Random(rows, columns, GetParam(), 3), lu = a;
    std::vector<int64_t> pivots;
    ASSERT_EQ(FactorLu(lu, pivots), 0);
    const int64_t k = std::min(rows, columns);
    WideMatrix l = WideMatrix::Identity(rows, k), u = WideMatrix::Zero(k, columns);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        if (i > j && j < k) l(i, j) = lu(i, j);
        if (i <= j && i < k) u(i, j) = lu(i, j);
      }
    }
    for (int64_t i = 0; i < k; ++i) {
      for (int64_t j = 0; j < columns; ++j) std::swap(a(i, j), a(pivots[i] - 1, j));
    }
    EXPECT_LT(Off(a, Product(l, u)), kClose * OneNorm(a));
  }
}

TEST_P(Factorizations, QrMultipliesBackWithAUnitaryFactor) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{5, 5}, {6, 3}, {3, 6}, {1, 1}}) {
    const WideMatrix a = Random(rows, columns, GetParam(), 4);
    WideMatrix packed = a;
    const std::vector<Wide> tau = FactorQr(packed);
    const WideMatrix q = ProductOfReflectors(packed, tau, rows);
    WideMatrix r = WideMatrix::Zero(rows, columns);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = i; j < columns; ++j) r(i, j) = packed(i, j);
    }
    EXPECT_LT(DepartureFromUnitary(q), kClose);
    EXPECT_LT(Off(a, Product(q, r)), kClose * OneNorm(a));
  }
}

TEST_P(Factorizations, HermitianMatricesAreDecomposed) {
  for (int64_t n : {1, 2, 9}) {
    const WideMatrix a = Hermitian(n, GetParam(), 5);
    WideMatrix v;
    std::vector<long double> values;
    DecomposeHermitian(a, v, values);
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
    EXPECT_LT(DepartureFromUnitary(v), kClose);
    WideMatrix scaled = v;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) scaled(i, j) *= values[j];
    }
    EXPECT_LT(Off(Product(a, v), scaled), kClose * OneNorm(a));
  }
}

TEST_P(Factorizations, SingularValuesOfMatricesOfEveryRank) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{4, 4}, {5, 3}, {3, 5}}) {
    for (int64_t rank : {0, 1, 3}) {
      const WideMatrix a =
          Product(Random(rows, rank, GetParam(), 6), Random(rank, columns, GetParam(), 7));
      WideMatrix u, v;
      std::vector<long double> values;
      DecomposeSingular(a, u, values, v);
      EXPECT_EQ(u.columns, rows);
      EXPECT_EQ(v.columns, columns);
      EXPECT_LT(DepartureFromUnitary(u), kClose);
      EXPECT_LT(DepartureFromUnitary(v), kClose);
      WideMatrix s = WideMatrix::Zero(rows, columns);
      for (size_t i = 0; i < values.size(); ++i) s(i, i) = values[i];
      EXPECT_LT(Off(a, Product(Product(u, s), ConjugateTransposed(v))), kClose * (1 + OneNorm(a)));
      EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend()));
    }
  }
}

TEST_P(Factorizations, ReductionsAndSchurFormsMultiplyBack) {
  for (int64_t n : {1, 2, 3, 8}) {
    const WideMatrix a = Random(n, n, GetParam(), 8);
    const auto expect_similar = [&](const WideMatrix& q, const WideMatrix& t) {
      EXPECT_LT(DepartureFromUnitary(q), kClose);
      EXPECT_LT(Off(a, Product(Product(q, t), ConjugateTransposed(q))), kClose * OneNorm(a)) << n;
    };
    WideMatrix h = a, t = a, z;
    const std::vector<Wide> tau = FactorHessenberg(h);
    const WideMatrix q = HessenbergVectors(h, tau);
    for (int64_t i = 2; i < n; ++i) std::fill_n(&h(i, 0), i - 1, Wide(0));
    expect_similar(q, h);
    ASSERT_EQ(DecomposeSchur(t, !GetParam(), z), 0);
    expect_similar(z, t);
    for (int64_t i = 1; i < n; ++i) {
      if (t(i, i - 1) == Wide(0)) continue;
      EXPECT_FALSE(GetParam());
      EXPECT_EQ(t(i, i), t(i - 1, i - 1));
      EXPECT_LT((t(i, i - 1) * t(i - 1, i)).real(), 0);
    }
  }
}

// The last matrix has only one eigenvector. For the last but one, QR steps converge only with an
// exceptional shift.
TEST_P(Factorizations, EigenvectorsOfGeneralMatrices) {
  std::vector<WideMatrix> all = {Random(1, 1, GetParam(), 9), Random(7, 7, GetParam(), 9),
                                 WideMatrix::Zero(3, 3), WideMatrix::Zero(4, 4),
                                 WideMatrix::Identity(3, 3)};
  for (int64_t i = 0; i < 4; ++i) all[3](i, (i + 1) % 4) = 1;
  all[4](0, 1) = all[4](1, 2) = 1;
  for (const WideMatrix& a : all) {
    WideMatrix values, left, right;
    ASSERT_EQ(DecomposeEigen(a, !GetParam(), values, left, right), 0);
    const auto residual = [&](const WideMatrix& of, const WideMatrix& v, bool conjugate) {
      WideMatrix scaled = v;
      for (int64_t j = 0; j < a.rows; ++j) {
        const Wide w = conjugate ? std::conj(values(0, j)) : values(0, j);
        for (int64_t i = 0; i < a.rows; ++i) scaled(i, j) *= w;
      }
      return Off(Product(of, v), scaled);
    };
    EXPECT_LT(residual(a, right, false), kClose * (1 + OneNorm(a)));
    EXPECT_LT(residual(ConjugateTransposed(a), left, true), kClose * (1 + OneNorm(a)));
    for (int64_t j = 0; !GetParam() && j + 1 < a.rows; ++j) {
      if (values(0, j).imag() == 0) continue;
      EXPECT_GT(values(0, j).imag(), 0);
      EXPECT_EQ(values(0, j), std::conj(values(0, j + 1)));
      ++j;
    }
  }
}

const char kSolve[] =
    "ROOT r = f64[2,2] custom-call(a, b), custom_call_target=\"lapack_dtrsm_ffi\", "
    "api_version=API_VERSION_TYPED_FFI, backend_config={diag = %d : ui8, side = %d : ui8, "
    "trans_x = %d : ui8, uplo = %d : ui8}";

TEST(LapackCalls, TriangularSolvesReadWhatTheirLettersSay) {
  // Solves op(triangle of A) X = B or X op(A) = B for A = [2, 3; 5, 4] and B = [2, 4; 8, 12].
  const auto solved = [](char diag, char side, char trans, char uplo) {
    return TryRun(absl::StrCat("a = f64[2,2] constant({{2,3},{5,4}}) ",
                               "b = f64[2,2] constant({{2,4},{8,12}}) ",
                               absl::StrFormat(kSolve, diag, side, trans, uplo)),
                  "", {});
  };
  const auto text = [](const absl::StatusOr<Literal>& x) {
    return x.ok() ? PrintLiteralWithShape(*x) : x.status().ToString();
  };
  EXPECT_EQ(text(solved('N', 'L', 'N', 'L')),
            PrintLiteralWithShape(LiteralOf("f64[2,2] { {1, 2}, {0.75, 0.5} }")));
  EXPECT_EQ(text(solved('N', 'L', 'N', 'U')),
            PrintLiteralWithShape(LiteralOf("f64[2,2] { {-2, -2.5}, {2, 3} }")));
  EXPECT_EQ(text(solved('N', 'L', 'T', 'L')),
            PrintLiteralWithShape(LiteralOf("f64[2,2] { {-4, -5.5}, {2, 3} }")));
  EXPECT_EQ(text(solved('U', 'L', 'N', 'L')),
            PrintLiteralWithShape(LiteralOf("f64[2,2] { {2, 4}, {-2, -8} }")));
  EXPECT_EQ(text(solved('N', 'R', 'N', 'L')),
            PrintLiteralWithShape(LiteralOf("f64[2,2] { {-1.5, 1}, {-3.5, 3} }")));
}

TEST(LapackCalls, WrongShapesAndUnknownLettersAreErrors) {
  const absl::Status letters = TryRun(absl::StrCat("a = f64[2,2] constant({{2,3},{5,4}}) ",
                                                   "b = f64[2,2] constant({{2,4},{8,12}}) ",
                                                   absl::StrFormat(kSolve, 'N', 'L', 'X', 'L')),
                                      "", {})
                                   .status();
  EXPECT_TRUE(absl::IsUnimplemented(letters)) << letters;
  const absl::Status shapes =
      TryRun(
          "a = f32[3,2] constant({{2,3},{5,4},{1,1}}) "
          "ROOT r = (f32[3,2], s32[]) custom-call(a), custom_call_target=\"lapack_spotrf_ffi\", "
          "backend_config={uplo = 76 : ui8}",
          "", {})
          .status();
  EXPECT_TRUE(absl::IsInvalidArgument(shapes)) << shapes;
  const auto call = [](absl::string_view text) { return TryRun(text, "", {}).status(); };
  EXPECT_TRUE(absl::IsInvalidArgument(
      call("a = f32[2,3] constant({{1,2,3},{4,5,6}}) t = f32[2] constant({1,1}) "
           "ROOT r = f32[2,3] custom-call(a, t), custom_call_target=\"lapack_sorgqr_ffi\"")));
  EXPECT_TRUE(absl::IsUnimplemented(call(
      "a = f32[2,2] constant({{1,2},{3,4}}) ROOT r = (f32[2,2], f32[1], s32[]) custom-call(a), "
      "custom_call_target=\"lapack_sgehrd_ffi\", backend_config={low = 1 : i32, high = 1 : i32}")));
}

TEST(LapackCalls, ANanSpoilsItsBatchAlone) {
  const absl::StatusOr<Literal> result = TryRun(
      "a = f32[2,1,1] constant({{{4}},{{nan}}}) "
      "c = (f32[2,1,1], s32[2]) custom-call(a), custom_call_target=\"lapack_spotrf_ffi\", "
      "backend_config={uplo = 76 : ui8} ROOT r = f32[2,1,1] get-tuple-element(c), index=0",
      "", {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->data<float>()[0], 2);
  EXPECT_TRUE(std::isnan(result->data<float>()[1]));
}

}  // namespace
}  // namespace hlocts::reference
