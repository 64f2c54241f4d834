// SPDX-License-Identifier: Apache-2.0
// Tests that two adjacent roundings of doubles to f32 are both kept. g++ 12 vectorises them
// (-ftree-slp-vectorize, on from -O2) and then removes V2DF -> V2SF -> V2DF as if it changed
// nothing. All targets, including this one, are compiled without that option (ci/libraries.cmake).
#include <gtest/gtest.h>

namespace hlocts::reference {
namespace {

[[gnu::noinline]] void RoundTwoSums(const double* x, const double* y, double* rounded) {
  const double first = static_cast<float>(x[0] + y[0]), second = static_cast<float>(x[1] + y[1]);
  rounded[0] = first;
  rounded[1] = second;
}

TEST(TwoRoundingsTest, NeighboursAreBothRounded) {
  volatile double tenth = 0.1;  // volatile: the compiler must not compute the sums
  const double x[2] = {tenth, 3 * tenth}, y[2] = {2 * tenth, 4 * tenth};
  double rounded[2];
  RoundTwoSums(x, y, rounded);
  EXPECT_EQ(rounded[0], 0x1.333334p-2);
  EXPECT_EQ(rounded[1], 0x1.666666p-1);
}

}  // namespace
}  // namespace hlocts::reference
