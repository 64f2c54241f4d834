// Blocks of moderate numbers take a shorter way to the same bits.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "backends/cpu/elementwise/kernel.h"
#include "gtest/gtest.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kCount = 300;

// With and without an extreme neighbour.
TEST(VectorMathTest, NeighboursChangeNoBits) {
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

}  // namespace
}  // namespace hlocts::cpu
