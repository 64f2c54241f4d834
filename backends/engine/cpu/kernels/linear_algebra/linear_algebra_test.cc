// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/linear_algebra/linear_algebra.h"

#include <complex>

#include "backends/engine/cpu/kernels/runtime/kernel_testing.h"

namespace hlocts::kernels {
namespace {

template <typename T>
T Conj(T x) {
  if constexpr (kIsComplex<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

template <typename T>
constexpr PrimitiveType TypeOf() {
  if (std::is_same_v<T, float>) return PrimitiveType::kF32;
  if (std::is_same_v<T, double>) return PrimitiveType::kF64;
  return std::is_same_v<T, Complex64> ? PrimitiveType::kC64 : PrimitiveType::kC128;
}

template <typename T>
double UnitOf() {
  return sizeof(decltype(std::abs(T()))) == 4 ? 0x1p-24 : 0x1p-53;
}

// Returns a random matrix. `diagonal` is added to its diagonal, so that it is well conditioned.
template <typename T>
std::vector<T> RandomMatrix(int64_t rows, int64_t columns, int seed, double diagonal) {
  const std::vector<float> parts = RandomFloats(2 * rows * columns, seed);
  std::vector<T> result(rows * columns);
  for (int64_t i = 0; i < rows * columns; ++i) {
    if constexpr (kIsComplex<T>) {
      result[i] = T(parts[2 * i], parts[2 * i + 1]);
    } else {
      result[i] = parts[2 * i];
    }
    if (diagonal != 0 && i / columns == i % columns) result[i] += T(diagonal);
  }
  return result;
}

using Wide = std::complex<double>;

// Returns a batch of two equal positive definite matrices. The triangle not to be read is NaN.
template <typename T>
std::vector<T> PositiveMatrices(int64_t n, bool lower) {
  const std::vector<T> g = RandomMatrix<T>(n, n, 1, 0);
  std::vector<T> a(2 * n * n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      T sum = T(i == j ? static_cast<double>(n) : 0.0);
      for (int64_t p = 0; p < n; ++p) sum += g[i * n + p] * Conj(g[j * n + p]);
      if (i == j) sum = T(std::real(sum));
      const bool unread = lower ? j > i : j < i;
      a[i * n + j] = a[n * n + i * n + j] = unread ? T(std::nanf("")) : sum;
    }
  }
  return a;
}

// Checks |l l^H - a| <= c (n + 1) u |l| |l^H| for each element.
template <typename T>
void CheckCholesky(int64_t n, bool lower) {
  SCOPED_TRACE(testing::Message() << "n " << n << (lower ? " lower" : " upper"));
  const std::vector<T> a = PositiveMatrices<T>(n, lower);
  std::vector<T> l(2 * n * n);
  CholeskyRequest request = {TypeOf<T>(), lower, 2, n, a.data(), l.data()};
  ASSERT_TRUE(Cholesky(Parallel(), request).ok());
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      if (lower ? j > i : j < i) {
        ASSERT_EQ(l[i * n + j], T(0));
        continue;
      }
      Wide sum = 0;
      double magnitude = 0;
      for (int64_t p = 0; p <= std::min(i, j); ++p) {
        const Wide x = lower ? Wide(l[i * n + p]) * Wide(Conj(l[j * n + p]))
                             : Wide(Conj(l[p * n + i])) * Wide(l[p * n + j]);
        sum += x;
        magnitude += std::abs(x);
      }
      ASSERT_LE(std::abs(sum - Wide(a[i * n + j])), 4 * (n + 1) * UnitOf<T>() * magnitude);
      // Both matrices of the batch are equal, so their factors must be.
      ASSERT_EQ(l[n * n + i * n + j], l[i * n + j]);
    }
  }
}

TEST(CholeskyTest, Residual) {
  for (int64_t n : {1, 2, 7, 64, 65, 150, 200}) {
    for (bool lower : {true, false}) {
      CheckCholesky<float>(n, lower);
      CheckCholesky<double>(n, lower);
      if (n < 100) CheckCholesky<Complex64>(n, lower);
      if (n < 100) CheckCholesky<Complex128>(n, lower);
    }
  }
}

TEST(CholeskyTest, NotPositiveGivesNan) {
  const float a[4] = {1, 2, 2, 1};
  float l[4];
  ASSERT_TRUE(Cholesky(Parallel(), {PrimitiveType::kF32, true, 1, 2, a, l}).ok());
  EXPECT_TRUE(std::isnan(l[3]));
}

// Checks |op(a) x - b| <= c n u (|op(a)| |x|) for each element. Elements of a that the solver must
// not read are NaN: the other triangle, and a unit diagonal.
template <typename T>
void CheckSolve(TriangularSolveRequest r) {
  const int64_t n = r.left_side ? r.rows : r.columns;
  std::vector<T> a = RandomMatrix<T>(2 * n, n, 1, 0);
  for (int64_t i = 0; i < 2 * n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      T& x = a[i * n + j];
      x *= T(1.0 / n);
      if (i % n == j) x = r.unit_diagonal ? T(std::nanf("")) : x + T(2.0);
      if (r.lower ? j > i % n : j < i % n) x = T(std::nanf(""));
    }
  }
  const std::vector<T> b = RandomMatrix<T>(2 * r.rows, r.columns, 2, 0);
  std::vector<T> x(b.size());
  r.type = TypeOf<T>();
  r.batch = 2;
  r.a = a.data();
  r.b = b.data();
  r.output = x.data();
  const auto element = [&](int64_t batch, int64_t i, int64_t j) -> Wide {  // an element of op(a)
    if (r.transpose != TransposeKind::kNone) std::swap(i, j);
    if (i == j && r.unit_diagonal) return 1;
    if (r.lower ? j > i : j < i) return 0;
    const T value = a[(batch * n + i) * n + j];
    return Wide(r.transpose == TransposeKind::kAdjoint ? Conj(value) : value);
  };
  ASSERT_TRUE(TriangularSolve(Parallel(), r).ok());
  for (int64_t i = 0; i < 2 * r.rows; ++i) {
    for (int64_t j = 0; j < r.columns; ++j) {
      const int64_t batch = i / r.rows, row = i % r.rows;
      Wide sum = 0;
      double magnitude = 0;
      for (int64_t p = 0; p < n; ++p) {
        const Wide term = r.left_side
                              ? element(batch, row, p) * Wide(x[(batch * n + p) * r.columns + j])
                              : Wide(x[i * n + p]) * element(batch, p, j);
        sum += term;
        magnitude += std::abs(term);
      }
      ASSERT_LE(std::abs(sum - Wide(b[i * r.columns + j])), 4 * (n + 1) * UnitOf<T>() * magnitude);
    }
  }
}

TEST(TriangularSolveTest, EveryForm) {
  for (bool left : {true, false}) {
    for (bool lower : {true, false}) {
      for (bool unit : {true, false}) {
        for (TransposeKind t :
             {TransposeKind::kNone, TransposeKind::kTranspose, TransposeKind::kAdjoint}) {
          for (auto [rows, columns] : {std::pair<int64_t, int64_t>{1, 1}, {5, 3}, {90, 70}}) {
            TriangularSolveRequest r;
            r.left_side = left, r.lower = lower, r.unit_diagonal = unit, r.transpose = t;
            r.rows = rows, r.columns = columns;
            CheckSolve<float>(r);
            CheckSolve<Complex128>(r);
          }
        }
      }
    }
  }
}

// The square of this divisor overflows.
TEST(TriangularSolveTest, LargeComplexDivisor) {
  const Complex64 a(1e25f, 1e25f), b(3e25f, -1e25f);
  Complex64 x;
  TriangularSolveRequest r;
  r.type = PrimitiveType::kC64;
  r.a = &a, r.b = &b, r.output = &x;
  ASSERT_TRUE(TriangularSolve(Parallel(), r).ok());
  EXPECT_NEAR(x.real(), 1, 1e-6);
  EXPECT_NEAR(x.imag(), -2, 1e-6);
}

TEST(TriangularSolveTest, TypesThatAreConvertedFirstAreRefused) {
  for (PrimitiveType type : {PrimitiveType::kS32, PrimitiveType::kBF16}) {
    TriangularSolveRequest r;
    r.type = type;
    EXPECT_EQ(TriangularSolve(Parallel(), r).code(), absl::StatusCode::kUnimplemented);
  }
}

// The work is divided in the same way for any number of threads, so the bits must be equal.
TEST(LinearAlgebraTest, BitsDoNotDependOnThreads) {
  const int64_t n = 300;
  const std::vector<float> a = RandomMatrix<float>(n, n, 1, n), b = RandomMatrix<float>(n, n, 2, 0);
  const auto run = [&](int threads) {
    std::vector<float> results(2 * n * n);
    EXPECT_TRUE(
        Cholesky(Parallel(threads), {PrimitiveType::kF32, true, 1, n, a.data(), results.data()})
            .ok());
    TriangularSolveRequest r;
    r.rows = r.columns = n;
    r.a = a.data(), r.b = b.data(), r.output = results.data() + n * n;
    EXPECT_TRUE(TriangularSolve(Parallel(threads), r).ok());
    return results;
  };
  EXPECT_EQ(run(1), run(2));
}

}  // namespace
}  // namespace hlocts::kernels
