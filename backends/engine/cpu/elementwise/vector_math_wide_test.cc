// SPDX-License-Identifier: Apache-2.0
// Functions of f32 that are computed in f64, against the C library's.
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "backends/engine/cpu/base/float_control.h"
#include "backends/engine/cpu/elementwise/kernel.h"
#include "gtest/gtest.h"
#include "spec/ir/opcode.h"

namespace hlocts::cpu {
namespace {

constexpr float kInfinityF32 = std::numeric_limits<float>::infinity();
constexpr float kLargestF32 = std::numeric_limits<float>::max(), kLeastF32 = 0x1p-149f;
constexpr float kSpecialF32[] = {0.0f,       1.0f,       2.0f,        3.0f,        0.5f,
                                 1.5f,       1.0000001f, 0.99999994f, 16777215,    16777216,
                                 8388607.5f, 0x1p-126f,  kLeastF32,   kLargestF32, kInfinityF32,
                                 127,        128,        149,         1e-30f,      NAN};

std::vector<float> ResultsF32(Opcode opcode, const std::vector<float>& x,
                              const std::vector<float>& y = {}) {
  std::vector<float> r(x.size());
  const Kernel kernel = ArithmeticKernel(opcode, PrimitiveType::kF32);
  kernel(x.data(), y.data(), nullptr, r.data(), static_cast<int64_t>(x.size()));
  return r;
}

// Within 0.51 units in the last place, signs of zeros included.
bool IsNearF32(float actual, long double exact) {
  const float rounded = static_cast<float>(exact);
  if (std::isnan(rounded) || std::isinf(rounded)) {
    return std::isnan(rounded) ? std::isnan(actual) : actual == rounded;
  }
  const float unit = std::ldexp(1.0f, std::max(std::ilogb(rounded), -126) - 23);
  return std::signbit(actual) == std::signbit(exact) && std::fabs(actual - exact) <= 0.51L * unit;
}

long double PowerOf(long double x, long double y) { return std::pow(x, y); }

// Every so many bit patterns.
std::vector<float> SomeF32() {
  std::vector<float> x;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 99991) {
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  for (const float special : kSpecialF32) x.push_back(special), x.push_back(-special);
  return x;
}

TEST(VectorMathWideTest, CbrtAndTanAreNearlyCorrectlyRounded) {
  const std::vector<float> x = SomeF32();
  const std::vector<float> roots = ResultsF32(Opcode::kCbrt, x),
                           tangents = ResultsF32(Opcode::kTan, x);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_TRUE(IsNearF32(roots[i], std::cbrt(static_cast<long double>(x[i])))) << x[i];
    EXPECT_TRUE(IsNearF32(tangents[i], std::tan(static_cast<double>(x[i])))) << x[i];
  }
}

TEST(VectorMathWideTest, PowersOfSpecialNumbers) {
  std::vector<float> x, y;
  for (const float a : kSpecialF32) {
    for (const float b : kSpecialF32) {
      for (const int signs : {0, 1, 2, 3}) {
        x.push_back((signs & 1) != 0 ? -a : a);
        y.push_back((signs & 2) != 0 ? -b : b);
      }
    }
  }
  const std::vector<float> r = ResultsF32(Opcode::kPower, x, y);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_TRUE(IsNearF32(r[i], PowerOf(x[i], y[i]))) << x[i] << " to the " << y[i];
  }
}

TEST(VectorMathWideTest, PowersAreNearlyCorrectlyRounded) {
  std::vector<float> x, y;
  for (float base = 1e-37f; base < 1e38f; base *= 1.37f) {
    for (float exponent = -160; exponent < 160; exponent += 1.7f) {
      x.push_back(base), y.push_back(exponent / (std::fabs(std::log2(base)) + 0.01f));
      x.push_back(1 + exponent * 1e-3f), y.push_back(base);
      x.push_back(-base), y.push_back(std::round(exponent));
    }
  }
  const std::vector<float> r = ResultsF32(Opcode::kPower, x, y);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_TRUE(IsNearF32(r[i], PowerOf(x[i], y[i]))) << x[i] << " to the " << y[i];
  }
}

// Extreme neighbours, the end of an array and flushed subnormals.
TEST(VectorMathWideTest, BitsDependOnNothingElse) {
  std::vector<float> x;
  for (float at = -30; at < 30; at += 0.37f) x.push_back(at);
  for (const Opcode opcode : {Opcode::kCbrt, Opcode::kTan, Opcode::kPower}) {
    const std::vector<float> y(x.size(), 3.0f), r = ResultsF32(opcode, x, y);
    const ScopedFlush flush(true);
    for (size_t i = 0; i < x.size(); ++i) {
      const float alone = ResultsF32(opcode, {x[i]}, {3.0f})[0];
      const float beside =
          ResultsF32(opcode, {0, x[i], kInfinityF32}, {3.0f, 3.0f, -kInfinityF32})[1];
      EXPECT_EQ(std::bit_cast<uint32_t>(r[i]), std::bit_cast<uint32_t>(alone));
      EXPECT_EQ(std::bit_cast<uint32_t>(r[i]), std::bit_cast<uint32_t>(beside));
    }
  }
}

}  // namespace
}  // namespace hlocts::cpu
