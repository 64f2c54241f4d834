// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/fft.h"

#include <cmath>
#include <complex>
#include <random>

#include "gtest/gtest.h"

namespace hlocts::reference {
namespace {

// Returns the transform by its definition in long double, with angles reduced in integers.
std::vector<std::complex<long double>> Definition(const std::vector<FftNumber<double>>& x,
                                                  int sign) {
  const int64_t n = static_cast<int64_t>(x.size());
  std::vector<std::complex<long double>> roots, out(n);
  for (int64_t k = 0; k < n; ++k) {
    const long double angle = sign * 2 * 3.14159265358979323846264338327950288L *
                              static_cast<long double>(k) / static_cast<long double>(n);
    roots.push_back({std::cos(angle), std::sin(angle)});
  }
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t j = 0; j < n; ++j) {
      out[k] += std::complex<long double>(x[j].re, x[j].im) * roots[j * k % n];
    }
  }
  return out;
}

// Returns the largest error of both directions relative to the root mean square of the transform.
template <typename Real>
double ErrorOf(int64_t n) {
  std::mt19937_64 random(n);
  std::normal_distribution<double> normal;
  std::vector<FftNumber<double>> x(n);
  for (auto& v : x) v = {normal(random), normal(random)};
  double worst = 0;
  for (int sign : {-1, 1}) {
    const auto expected = Definition(x, sign);
    std::vector<FftNumber<Real>> data(n);
    for (int64_t i = 0; i < n; ++i)
      data[i] = {static_cast<Real>(x[i].re), static_cast<Real>(x[i].im)};
    const auto plan = FftPlan<Real>::Of(n);
    std::vector<FftNumber<Real>> scratch(plan->scratch_size());
    sign < 0 ? plan->Forward(data.data(), scratch.data())
             : plan->Backward(data.data(), scratch.data());
    for (int64_t k = 0; k < n; ++k) {
      const std::complex<long double> actual(data[k].re, data[k].im);
      worst =
          std::max(worst, static_cast<double>(std::abs(actual - expected[k])) / std::sqrt(2.0 * n));
    }
  }
  return worst;
}

TEST(Fft, EveryLengthUpTo150AgreesWithTheDefinition) {
  for (int64_t n = 1; n <= 150; ++n) {
    EXPECT_LT(ErrorOf<double>(n), 4e-15) << n;
    EXPECT_LT(ErrorOf<long double>(n), 4e-18) << n;
  }
}

TEST(Fft, LargerLengths) {
  for (int64_t n : {256, 509, 1000, 1009, 1024, 1155, 61 * 16, 67 * 4}) {
    EXPECT_LT(ErrorOf<double>(n), 1e-14) << n;
  }
}

TEST(Fft, QuarterTurnsAreExact) {
  std::vector<FftNumber<double>> data = {{1, 2}, {3, -4}, {-5, 6}, {7, 8}};
  std::vector<FftNumber<double>> scratch(4);
  FftPlan<double>::Of(4)->Forward(data.data(), scratch.data());
  const double expected[4][2] = {{6, 12}, {-6, 0}, {-14, 4}, {18, -8}};
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(data[k].re, expected[k][0]);
    EXPECT_EQ(data[k].im, expected[k][1]);
  }
}

}  // namespace
}  // namespace hlocts::reference
