// Functions of f64 against the C library's in long double.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "backends/cpu/elementwise/kernel.h"
#include "backends/cpu/float_control.h"
#include "gtest/gtest.h"

namespace hlocts::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max(), kLeast = 0x1p-1074;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

long double ExactLogistic(long double x) {
  const long double e = std::exp(-std::fabs(x));
  return (x > 0 ? 1 : e) / (1 + e);
}
long double ExactRsqrt(long double x) { return 1 / std::sqrt(x); }

struct Row {
  Opcode opcode;
  long double (*exact)(long double);
  double least, most;            // where points are taken
  std::vector<double> specials;  // arguments and results in turn
};
const std::vector<Row>& Rows() {
  static const auto& rows = *new std::vector<Row>{
      {Opcode::kExponential,
       std::exp,
       -745,
       710,
       {0, 1, -0.0, 1, kLeast, 1, kInfinity, kInfinity, -kInfinity, 0, 709.79, kInfinity, kLargest,
        kInfinity, -746, 0, -kLargest, 0}},
      {Opcode::kExponentialMinusOne,
       std::expm1,
       -50,
       709.7,
       {0, 0, -0.0, -0.0, kLeast, kLeast, -kLeast, -kLeast, kInfinity, kInfinity, -kInfinity, -1,
        709.79, kInfinity, -40, -1, -kLargest, -1}},
      {Opcode::kLog,
       std::log,
       0x1p-1074,
       kLargest,
       {0, -kInfinity, -0.0, -kInfinity, 1, 0, kInfinity, kInfinity, -1, kNan, -kInfinity, kNan,
        -kLeast, kNan}},
      {Opcode::kLogPlusOne,
       std::log1p,
       -0.99999999,
       kLargest,
       {0, 0, -0.0, -0.0, kLeast, kLeast, -kLeast, -kLeast, -1, -kInfinity, kInfinity, kInfinity,
        -2, kNan, -kInfinity, kNan}},
      {Opcode::kLogistic,
       ExactLogistic,
       -745,
       45,
       {0, 0.5, -0.0, 0.5, kInfinity, 1, -kInfinity, 0, kLargest, 1, -kLargest, 0}},
      {Opcode::kRsqrt,
       ExactRsqrt,
       0x1p-1074,
       kLargest,
       {0, kInfinity, -0.0, -kInfinity, kInfinity, 0, -1, kNan, kLeast, 0x1p537, 4, 0.5}},
      {Opcode::kTanh,
       std::tanh,
       -25,
       25,
       {0, 0, -0.0, -0.0, kLeast, kLeast, kInfinity, 1, -kInfinity, -1, kLargest, 1}}};
  return rows;
}

// Even steps in value, and magnitudes in even steps of their logarithm.
std::vector<double> Points(const Row& row) {
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

std::vector<double> Results(Opcode opcode, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  const Kernel kernel = ArithmeticKernel(opcode, PrimitiveType::kF64);
  kernel(x.data(), nullptr, nullptr, y.data(), static_cast<int64_t>(x.size()));
  return y;
}

TEST(VectorMathF64Test, ResultsAreWithinOneAndAHalfUlps) {
  for (const Row& row : Rows()) {
    const std::vector<double> x = Points(row), y = Results(row.opcode, x);
    for (size_t i = 0; i < x.size(); ++i) {
      const long double exact = row.exact(x[i]);
      const double rounded = std::fabs(static_cast<double>(exact));
      if (rounded > kLargest) continue;
      const double ulp = std::max(rounded - std::nextafter(rounded, 0.0), kLeast);
      EXPECT_LE(std::fabs(y[i] - exact) / ulp, 1.5L)
          << OpcodeName(row.opcode) << " of " << x[i] << " is " << y[i];
    }
  }
}

TEST(VectorMathF64Test, SpecialArguments) {
  for (const Row& row : Rows()) {
    EXPECT_TRUE(std::isnan(Results(row.opcode, {kNan})[0]));
    for (size_t i = 0; i < row.specials.size(); i += 2) {
      const double x = row.specials[i], expected = row.specials[i + 1];
      const double y = Results(row.opcode, {x})[0];
      EXPECT_TRUE(std::isnan(expected)
                      ? std::isnan(y)
                      : std::bit_cast<uint64_t>(y) == std::bit_cast<uint64_t>(expected))
          << OpcodeName(row.opcode) << " of " << x << " is " << y;
    }
  }
}

// Extreme neighbours, the end of an array and flushed subnormals.
TEST(VectorMathF64Test, BitsDependOnNothingElse) {
  for (const Row& row : Rows()) {
    const std::vector<double> x = Points(row), y = Results(row.opcode, x);
    const ScopedFlush flush(true);
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(std::bit_cast<uint64_t>(Results(row.opcode, {x[i]})[0]),
                std::bit_cast<uint64_t>(y[i]));
      EXPECT_EQ(std::bit_cast<uint64_t>(Results(row.opcode, {kLargest, x[i], kNan})[1]),
                std::bit_cast<uint64_t>(y[i]));
    }
  }
}

}  // namespace
}  // namespace hlocts::cpu
