// SPDX-License-Identifier: Apache-2.0
// Normalization of elements against the same with more digits, in arrays whose last elements fill
// no vector.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "backends/engine/cpu/elementwise/affine.h"

namespace hlocts::cpu {
namespace {

template <typename T>
void Check(int64_t count, bool one_for_all) {
  std::vector<T> x(count), mean(count), factor(count), offset(count), out(count);
  for (int64_t i = 0; i < count; ++i) {
    x[i] = static_cast<T>(i * 37 % 101 - 50) / 7;
    mean[i] = static_cast<T>(i % 5 - 2) / 3;
    factor[i] = static_cast<T>(i % 3 + 1) / 11;
    offset[i] = static_cast<T>(i % 7 - 3) / 13;
  }
  x[count - 1] = std::numeric_limits<T>::infinity();
  x[0] = std::numeric_limits<T>::quiet_NaN();
  ApplyAffine<T>({mean.data(), factor.data(), offset.data()}, one_for_all, x.data(), count,
                 out.data());
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_TRUE(count == 1 || out[count - 1] == x[count - 1]);
  for (int64_t i = 1; i + 1 < count; ++i) {
    const int64_t k = one_for_all ? 0 : i;
    const long double expected = (static_cast<long double>(x[i]) - mean[k]) * factor[k] + offset[k];
    EXPECT_NEAR(static_cast<double>(out[i]), static_cast<double>(expected),
                8 * static_cast<double>(std::numeric_limits<T>::epsilon()));
  }
  // In place the same.
  ApplyAffine<T>({mean.data(), factor.data(), offset.data()}, one_for_all, x.data(), count,
                 x.data());
  for (int64_t i = 1; i < count; ++i) EXPECT_EQ(x[i], out[i]);
}

TEST(AffineTest, IsWithinRounding) {
  for (int64_t count : {1, 3, 16, 61, 1000}) {
    for (bool one_for_all : {false, true}) {
      Check<float>(count, one_for_all);
      Check<double>(count, one_for_all);
    }
  }
}

}  // namespace
}  // namespace hlocts::cpu
