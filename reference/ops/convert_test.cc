// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "gtest/gtest.h"
#include "reference/testing/module_runner.h"

namespace hlocts::reference {
namespace {

TEST(ConvertTest, RoundsOnce) {
  // Conversion through f32 would yield 1 and 16777216, which the judge may accept.
  Literal x = FromDoubles(PrimitiveType::kF64, {1 + 0x1p-8 + 0x1p-40});
  EXPECT_EQ(ToDoubles(Apply("bf16[1]", "convert", {x}))[0], 1.0078125);
}

// The special loops of two type pairs agree with the general loop, which f64 operands use.
TEST(ConvertTest, DirectLoopsAgreeWithTheGeneralOnes) {
  std::vector<double> floats, integers;
  for (int exponent = -3; exponent < 40; ++exponent) {
    for (double fraction : {1.0, 1.25, 1.4999, 1.5, 1.5001, 1.9999999}) {
      double value = std::ldexp(fraction, exponent);
      for (double signed_value : {value, -value}) {
        floats.push_back(static_cast<float>(signed_value));
        if (value < 0x1p31) integers.push_back(std::trunc(signed_value) + 0.0);  // + 0.0 removes -0
      }
    }
  }
  for (double special : {HUGE_VAL, -HUGE_VAL, std::nan(""), 0.0, -0.0}) floats.push_back(special);
  for (double special : {0x1p31 - 1, -0x1p31, 16842753.0, 16842752.0, 0.0})
    integers.push_back(special);
  auto shape = [](const char* type, size_t n) { return absl::StrCat(type, "[", n, "]"); };
  EXPECT_EQ(Text(Apply(shape("s32", floats.size()), "convert",
                       {FromDoubles(PrimitiveType::kF32, floats)})),
            Text(Apply(shape("s32", floats.size()), "convert",
                       {FromDoubles(PrimitiveType::kF64, floats)})));
  EXPECT_EQ(Text(Apply(shape("bf16", integers.size()), "convert",
                       {FromDoubles(PrimitiveType::kS32, integers)})),
            Text(Apply(shape("bf16", integers.size()), "convert",
                       {FromDoubles(PrimitiveType::kF64, integers)})));
}

TEST(ConvertTest, NarrowFloatsWithoutInfinity) {
  EXPECT_TRUE(
      std::isnan(ToDoubles(Apply("f8e4m3fn[1]", "convert", {MustLiteral("f32[1] {inf}")}))[0]));
  Literal zero = Apply("f8e4m3fnuz[1]", "convert", {MustLiteral("f32[1] {-0}")});
  EXPECT_EQ(zero.data<uint8_t>()[0], 0);
}

}  // namespace
}  // namespace hlocts::reference
