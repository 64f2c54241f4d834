// SPDX-License-Identifier: Apache-2.0
// Tests which factors cholesky may return if an engine flushes subnormals or multiplies by inverted
// blocks (lemma 9). The test computes the factors like such an engine.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "reference/judge/cases_testing.h"

namespace hlocts::reference {
namespace {

using Rows = std::vector<std::vector<double>>;

Rows Square(int n) { return Rows(n, std::vector<double>(n, 0)); }

std::string Text(const char* type, const Rows& rows) {
  std::string text = absl::StrFormat("%s[%d,%d] {", type, rows.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    text += i == 0 ? "{" : ", {";
    for (size_t j = 0; j < rows.size(); ++j) {
      if (j > 0) text += ", ";
      text += std::isnan(rows[i][j]) ? std::string("nan") : absl::StrFormat("%.17g", rows[i][j]);
    }
    text += "}";
  }
  return text + "}";
}

Outcome OutcomeOf(const char* type, const Rows& a, const Rows& l, Profile profile) {
  const std::string module = absl::StrFormat(
      "ENTRY e { a = %1$s[%2$d,%2$d] parameter(0) ROOT r = %1$s[%2$d,%2$d] cholesky(a), "
      "lower=true }",
      type, a.size());
  const std::string operand = Text(type, a), factor = Text(type, l);
  return AcceptedOr(
      JudgeCase({"cholesky", module.c_str(), {operand.c_str()}, {factor.c_str()}, kPass, profile}));
}

// Computes the first m rows of the factor by substitution.
Rows Factor(const Rows& a, int m) {
  Rows l = Square(static_cast<int>(a.size()));
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j <= i; ++j) {
      double x = a[i][j];
      for (int k = 0; k < j; ++k) x -= l[i][k] * l[j][k];
      l[i][j] = i == j ? std::sqrt(x) : x / l[j][j];
    }
  }
  return l;
}

Rows Inverse(const Rows& l, int m) {
  Rows x = Square(m);
  for (int c = 0; c < m; ++c) {
    for (int i = c; i < m; ++i) {
      double r = i == c ? 1 : 0;
      for (int k = c; k < i; ++k) r -= l[i][k] * x[k][c];
      x[i][c] = r / l[i][i];
    }
  }
  return x;
}

// Returns a matrix that is far from singular. The inverse of its factor is large compared to the
// factor (Kahan's matrix). Without its last element, the last row is a multiple of the first.
Rows Kahan(int n) {
  const double c = 0.65, s = std::sqrt(1 - c * c);
  Rows l = Square(n), a = Square(n);
  for (int i = 0; i < n; ++i) {
    const double scale = 1 / (i % 5 + 3.0);
    for (int j = 0; j < i; ++j) l[i][j] = -c * std::pow(s, j) * scale;
    l[i][i] = std::pow(s, i) * scale;
  }
  l[n - 1].assign(n, 0);
  l[n - 1][0] = 0.9, l[n - 1][n - 1] = 0.4;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) a[i][j] += l[i][k] * l[j][k];
    }
  }
  return a;
}

// The last row of the factor is the product of the inverted block above with that row of `a`.
Rows ByInvertedBlock(const Rows& a) {
  const int m = static_cast<int>(a.size()) - 1;
  Rows l = Factor(a, m);
  const Rows x = Inverse(l, m);
  double pivot = a[m][m];
  for (int j = 0; j < m; ++j) {
    for (int k = 0; k <= j; ++k) l[m][j] += x[j][k] * a[m][k];
    pivot -= l[m][j] * l[m][j];
  }
  l[m][m] = std::sqrt(pivot);
  return l;
}

TEST(CholeskyTest, InvertedBlocksAddToTheResidualOutsideStrict) {
  const Rows a = Kahan(17);
  Rows l = ByInvertedBlock(a);
  EXPECT_EQ(OutcomeOf("f64", a, Factor(a, 17), kStrict), kPass);
  EXPECT_EQ(OutcomeOf("f64", a, l, kStrict), kFail);
  EXPECT_EQ(OutcomeOf("f64", a, l, Profile::kDefault), kPass);
  l[16][0] *= 1.001;
  EXPECT_EQ(OutcomeOf("f64", a, l, Profile::kDefault), kFail);
}

// If the engine reads the subnormal elements as zeros, the last pivot is negative.
TEST(CholeskyTest, FlushedElementsMayLeaveNoFactor) {
  Rows a = Square(10);
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 10; ++j) a[i][j] = i == 9 || j == 9 ? 1.19e-38 : 1.16e-38;
    a[i][i] = 3.5e-38;
  }
  Rows read = a;
  for (auto& row : read) {
    for (double& x : row) x = x < std::numeric_limits<float>::min() ? 0 : x;
  }
  const Rows l = Factor(read, 10);
  EXPECT_TRUE(std::isnan(l[9][9]));
  EXPECT_EQ(OutcomeOf("f32", a, l, Profile::kDefault), kPass);
  EXPECT_EQ(OutcomeOf("f32", a, l, kStrict), kFail);
}

// In a matrix of equal elements the second pivot is a rounding error, 2.8e-14 in f64. The engine
// divides by it, but stores its root as zero in an f8 type. f32 represents every such root.
TEST(CholeskyTest, APivotMayVanishWhereANarrowTypeStoresIt) {
  const Rows a(3, std::vector<double>(3, 240));
  Rows l = Factor(a, 2);
  EXPECT_GT(l[1][1], 0);
  EXPECT_LT(l[1][1], 1e-6);
  l[2][0] = l[1][0];
  EXPECT_EQ(OutcomeOf("f8e4m3", a, l, kStrict), kPass);
  l[1][1] = 0;
  EXPECT_EQ(OutcomeOf("f8e4m3", a, l, kStrict), kPass);
  EXPECT_EQ(OutcomeOf("f32", a, l, kStrict), kFail);
  l[2][0] = 8;
  EXPECT_EQ(OutcomeOf("f8e4m3", a, l, kStrict), kFail);
}

}  // namespace
}  // namespace hlocts::reference
