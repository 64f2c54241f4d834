// SPDX-License-Identifier: Apache-2.0
// Tests that a number has the same result in a block without range checks as in one with them.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "backends/engine/cpu/elementwise/kernel.h"
#include "gtest/gtest.h"
#include "spec/ir/opcode.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kCount = 300;

// Compares results in blocks with an extreme number, which need range checks, and without one.
TEST(VectorPolynomialsTest, NeighboursChangeNoBits) {
  const float extremes[] = {88.5f, -200.0f, std::numeric_limits<float>::infinity(), NAN};
  for (Opcode opcode : {Opcode::kExponential, Opcode::kExponentialMinusOne, Opcode::kLogistic}) {
    const Kernel kernel = ArithmeticKernel(opcode, PrimitiveType::kF32);
    for (const float low : {-87.0f, -1.0f, -1e-30f}) {
      std::vector<float> x(kCount), alone(kCount), beside(kCount);
      for (int64_t i = 0; i < kCount; ++i) x[i] = low + (86.9f - low) * i / kCount;
      kernel(x.data(), nullptr, nullptr, alone.data(), kCount);
      for (const float extreme : extremes) {
        std::vector<float> y = x;
        y[0] = y[kCount - 1] = extreme;
        kernel(y.data(), nullptr, nullptr, beside.data(), kCount);
        EXPECT_EQ(std::memcmp(&alone[1], &beside[1], (kCount - 2) * sizeof(float)), 0) << extreme;
        EXPECT_NEAR(alone[1],
                    opcode == Opcode::kExponential           ? std::exp(x[1])
                    : opcode == Opcode::kExponentialMinusOne ? std::expm1(x[1])
                                                             : 1 / (1 + std::exp(-x[1])),
                    1e-6 * (1 + std::fabs(alone[1])));
      }
    }
  }
}

// Checks that erf is within three ulps for both signs, and that zeros keep their sign.
TEST(VectorPolynomialsTest, ErfIsWithinThreeUlps) {
  const Kernel kernel = ArithmeticKernel(Opcode::kErf, PrimitiveType::kF32);
  std::vector<float> x = {0.0f, -0.0f, 1e-30f, 1e-3f, 0.99999994f, 1.0f, 3.9199998f, 3.92f, 50.0f};
  for (float at = 1e-4f; at < 5; at *= 1.0003f) x.push_back(at), x.push_back(-at);
  x.push_back(std::numeric_limits<float>::infinity());
  x.push_back(NAN);
  std::vector<float> y(x.size());
  kernel(x.data(), nullptr, nullptr, y.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i + 1 < x.size(); ++i) {
    const double expected = std::erf(static_cast<double>(x[i]));
    const float rounded = std::fabs(static_cast<float>(expected));
    EXPECT_NEAR(y[i], expected, 3.0 * (rounded - std::nextafter(rounded, 0.0f))) << x[i];
    EXPECT_EQ(std::signbit(y[i]), std::signbit(x[i]));
  }
  EXPECT_TRUE(std::isnan(y.back()));
}

}  // namespace
}  // namespace hlocts::cpu
