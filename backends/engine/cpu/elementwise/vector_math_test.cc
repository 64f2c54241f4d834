// SPDX-License-Identifier: Apache-2.0
// Compares f64 functions with the C library's long double functions.
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "backends/engine/cpu/elementwise/kernel.h"
#include "gtest/gtest.h"
#include "spec/ir/opcode.h"

namespace hlocts::cpu {
namespace {

constexpr double kInfinityF64 = std::numeric_limits<double>::infinity();
constexpr double kLargestF64 = std::numeric_limits<double>::max(), kLeastF64 = 0x1p-1074;
constexpr double kNanF64 = std::numeric_limits<double>::quiet_NaN();

long double ExactLogistic(long double x) {
  const long double e = std::exp(-std::fabs(x));
  return (x > 0 ? 1 : e) / (1 + e);
}
long double ExactRsqrt(long double x) { return 1 / std::sqrt(x); }

struct RowF64 {
  Opcode opcode;
  long double (*exact)(long double);
  double least, most;            // the range of the test points
  std::vector<double> specials;  // pairs of argument and result
};
const RowF64 kRowsF64[] = {
    {Opcode::kExponential,
     std::exp,
     -745,
     710,
     {0, 1, -0.0, 1, kLeastF64, 1, kInfinityF64, kInfinityF64, -kInfinityF64, 0, 709.79,
      kInfinityF64, kLargestF64, kInfinityF64, -746, 0, -kLargestF64, 0}},
    {Opcode::kExponentialMinusOne,
     std::expm1,
     -50,
     709.7,
     {0, 0, -0.0, -0.0, kLeastF64, kLeastF64, -kLeastF64, -kLeastF64, kInfinityF64, kInfinityF64,
      -kInfinityF64, -1, 709.79, kInfinityF64, -40, -1, -kLargestF64, -1}},
    {Opcode::kLog,
     std::log,
     0x1p-1074,
     kLargestF64,
     {0, -kInfinityF64, -0.0, -kInfinityF64, 1, 0, kInfinityF64, kInfinityF64, -1, kNanF64,
      -kInfinityF64, kNanF64, -kLeastF64, kNanF64}},
    {Opcode::kLogPlusOne,
     std::log1p,
     -0.99999999,
     kLargestF64,
     {0, 0, -0.0, -0.0, kLeastF64, kLeastF64, -kLeastF64, -kLeastF64, -1, -kInfinityF64,
      kInfinityF64, kInfinityF64, -2, kNanF64, -kInfinityF64, kNanF64}},
    {Opcode::kLogistic,
     ExactLogistic,
     -745,
     45,
     {0, 0.5, -0.0, 0.5, kInfinityF64, 1, -kInfinityF64, 0, kLargestF64, 1, -kLargestF64, 0}},
    {Opcode::kRsqrt,
     ExactRsqrt,
     0x1p-1074,
     kLargestF64,
     {0, kInfinityF64, -0.0, -kInfinityF64, kInfinityF64, 0, -1, kNanF64, kLeastF64, 0x1p537, 4,
      0.5}},
    {Opcode::kSine,
     std::sin,
     -9000,
     9000,
     {0, 0, -0.0, -0.0, kLeastF64, kLeastF64, kInfinityF64, kNanF64, -kInfinityF64, kNanF64}},
    {Opcode::kCosine,
     std::cos,
     -9000,
     9000,
     {0, 1, -0.0, 1, kLeastF64, 1, kInfinityF64, kNanF64, -kInfinityF64, kNanF64}},
    {Opcode::kTan,
     std::tan,
     -9000,
     9000,
     {0, 0, -0.0, -0.0, kLeastF64, kLeastF64, kInfinityF64, kNanF64, -kInfinityF64, kNanF64}},
    {Opcode::kTanh,
     std::tanh,
     -25,
     25,
     {0, 0, -0.0, -0.0, kLeastF64, kLeastF64, kInfinityF64, 1, -kInfinityF64, -1, kLargestF64, 1}}};

// Returns evenly spaced points, and points whose magnitudes have evenly spaced logarithms.
std::vector<double> PointsF64(const RowF64& row) {
  std::vector<double> points;
  for (int i = 0; i <= 4001; ++i) {
    points.push_back(row.least / 4001 * (4001 - i) + row.most / 4001 * i);
    points.push_back(std::min(row.most, 4.0) * i / 4001);
  }
  for (double size = 0x1p-1074; size < row.most; size *= size < 0x1p-1000 ? 2 : 1.13) {
    points.push_back(size);
    if (-size > row.least) points.push_back(-size);
  }
  return points;
}

std::vector<double> ResultsF64(Opcode opcode, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  const Kernel kernel = ArithmeticKernel(opcode, PrimitiveType::kF64);
  kernel(x.data(), nullptr, nullptr, y.data(), static_cast<int64_t>(x.size()));
  return y;
}

// SLEEF's result may be wrong by one ulp, and the rounding in the test adds half an ulp. A logistic
// function has two more roundings of half an ulp.
TEST(VectorMathTest, ResultsAreWithinTheBoundsOfTheirParts) {
  for (const RowF64& row : kRowsF64) {
    const long double most = row.opcode == Opcode::kLogistic ? 2.5L : 1.5L;
    const std::vector<double> x = PointsF64(row), y = ResultsF64(row.opcode, x);
    for (size_t i = 0; i < x.size(); ++i) {
      const long double exact = row.exact(x[i]);
      const double rounded = std::fabs(static_cast<double>(exact));
      if (rounded > kLargestF64) continue;
      const double ulp = std::max(rounded - std::nextafter(rounded, 0.0), kLeastF64);
      EXPECT_LE(std::fabs(y[i] - exact) / ulp, most)
          << OpcodeName(row.opcode) << " of " << x[i] << " is " << y[i];
    }
  }
}

// Tests numbers near multiples of pi/2, where most bits of the argument cancel.
TEST(VectorMathTest, SinesVanishWhereTheyShould) {
  std::vector<double> x;
  for (int n = 1; n < 5200; n += 7) x.push_back(n * 0x1.921fb54442d18p0);
  const std::vector<double> sines = ResultsF64(Opcode::kSine, x);
  const std::vector<double> cosines = ResultsF64(Opcode::kCosine, x);
  for (size_t i = 0; i < x.size(); ++i) {
    const long double sine = std::sin(static_cast<long double>(x[i]));
    const long double cosine = std::cos(static_cast<long double>(x[i]));
    EXPECT_LE(std::fabs(sines[i] - sine), 0x1p-52L * std::fabs(sine)) << x[i];
    EXPECT_LE(std::fabs(cosines[i] - cosine), 0x1p-52L * std::fabs(cosine)) << x[i];
  }
}

TEST(VectorMathTest, SpecialArguments) {
  for (const RowF64& row : kRowsF64) {
    EXPECT_TRUE(std::isnan(ResultsF64(row.opcode, {kNanF64})[0]));
    for (size_t i = 0; i < row.specials.size(); i += 2) {
      const double x = row.specials[i], expected = row.specials[i + 1];
      const double y = ResultsF64(row.opcode, {x})[0];
      EXPECT_TRUE(std::isnan(expected)
                      ? std::isnan(y)
                      : std::bit_cast<uint64_t>(y) == std::bit_cast<uint64_t>(expected))
          << OpcodeName(row.opcode) << " of " << x << " is " << y;
    }
  }
}

}  // namespace
}  // namespace hlocts::cpu
