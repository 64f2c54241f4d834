// SPDX-License-Identifier: Apache-2.0
// Tests products of bf16, which are exact. They are added in f32, two at a time if possible.
#include <cmath>
#include <limits>

#include "backends/engine/cpu/kernels/gemm/dot_testing.h"
#include "backends/engine/cpu/kernels/runtime/kernel_testing.h"

namespace hlocts::kernels {
namespace {

using T = PrimitiveType;
using Bf16 = NativeOf<T::kBF16>;

// Multiplies a matrix whose rows all equal `a` by a matrix whose columns all equal `b`.
std::vector<float> Bf16Product(const std::vector<float>& a, const std::vector<float>& b) {
  const auto count = static_cast<int64_t>(a.size());
  const std::vector<Bf16> lhs(a.begin(), a.end()), rhs(b.begin(), b.end());
  const Side rows = {{3, count}, {0, 1}, {}, {1}}, columns = {{count, 40}, {1, 0}, {}, {0}};
  std::vector<float> output(120);
  EXPECT_TRUE(Dot(Parallel(), {OperandOf(rows, lhs.data(), T::kBF16),
                               OperandOf(columns, rhs.data(), T::kBF16), T::kF32, output.data()})
                  .ok());
  for (float x : output) EXPECT_EQ(std::isnan(x) ? 0 : x, std::isnan(output[0]) ? 0 : output[0]);
  return output;
}

TEST(DotBf16Test, Bf16KeepsNanInfinitiesAndLargeProducts) {
  const float infinity = std::numeric_limits<float>::infinity();
  ForEachIsa([&] {
    FlushedAndNot([&] {
      EXPECT_EQ(Bf16Product({1, infinity, 1}, {1, 2, 3})[0], infinity);
      EXPECT_EQ(Bf16Product({1, 2, -infinity}, {1, 2, 3})[0], -infinity);
      EXPECT_TRUE(std::isnan(Bf16Product({1, infinity}, {1, 0})[0]));
      EXPECT_TRUE(std::isnan(Bf16Product({infinity, infinity}, {1, -1})[0]));
      EXPECT_TRUE(std::isnan(Bf16Product({NAN, 1, 1}, {1, 1, 1})[0]));
      EXPECT_EQ(Bf16Product({0x1.8p100f, 1}, {0x1p27f, 1})[0], 0x1.8p127f);
      EXPECT_EQ(Bf16Product({0x1.02p0f}, {0x1.02p0f})[0], 0x1.0404p0f);  // the exact product
    });
    // Without flushing, subnormal operands and results keep their values.
    EXPECT_EQ(Bf16Product({0x1p-130f, 0}, {0x1p100f, 1})[0], 0x1p-30f);
    EXPECT_EQ(Bf16Product({0x1p-70f, 0}, {0x1p-70f, 1})[0], 0x1p-140f);
  });
}

TEST(DotBf16Test, RandomBf16IsWithinItsBoundForAnyThreadCount) {
  const int64_t m = 61, k = 701, n = 130;
  const std::vector<float> a = RandomFloats(m * k, 1), b = RandomFloats(k * n, 2);
  const std::vector<Bf16> lhs(a.begin(), a.end()), rhs(b.begin(), b.end());
  const Side left = {{m, k}, {k, 1}, {}, {1}}, right = {{k, n}, {n, 1}, {}, {0}};
  const auto product = [&](int threads) {
    std::vector<float> output(m * n);
    EXPECT_TRUE(
        Dot(Parallel(threads), {OperandOf(left, lhs.data(), T::kBF16),
                                OperandOf(right, rhs.data(), T::kBF16), T::kF32, output.data()})
            .ok());
    return output;
  };
  ForEachIsa([&] {
    FlushedAndNot([&] {
      const std::vector<float> one = product(1);
      for (int64_t i = 0; i < m * n; ++i) {
        double exact = 0, magnitude = 0;
        for (int64_t p = 0; p < k; ++p) {
          const double x = double{static_cast<float>(lhs[i / n * k + p])} *
                           static_cast<float>(rhs[p * n + i % n]);
          exact += x, magnitude += std::fabs(x);
        }
        ASSERT_LE(std::fabs(one[i] - exact), k * 0x1p-24 * magnitude);
      }
      EXPECT_TRUE(product(2) == one);
    });
  });
}

}  // namespace
}  // namespace hlocts::kernels
