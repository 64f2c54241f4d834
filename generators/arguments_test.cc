// SPDX-License-Identifier: Apache-2.0
#include "generators/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

namespace hlocts::generators {
namespace {

TEST(ArgumentsTest, TheSameSeedGivesTheSameBitsEverywhere) {
  std::vector<Literal> a =
      GenerateArguments({Shape(PrimitiveType::kU32, {3})}, 7, ArgumentStyle::kWide);
  // Numbers of the published splitmix64. Another generator would invalidate recorded seeds.
  EXPECT_THAT(a[0].data<uint32_t>(), ::testing::ElementsAre(1247485742u, 2270696523u, 4213709681u));
}

TEST(ArgumentsTest, OperandsAndSeedsDiffer) {
  Shape shape(PrimitiveType::kF32, {64});
  std::vector<Literal> a = GenerateArguments({shape, shape}, 1);
  std::vector<Literal> b = GenerateArguments({shape, shape}, 2);
  EXPECT_FALSE(a[0].BitwiseEqual(a[1]));
  EXPECT_FALSE(a[0].BitwiseEqual(b[0]));
}

TEST(ArgumentsTest, ExactValuesAreSmallIntegers) {
  for (PrimitiveType type : {PrimitiveType::kF32, PrimitiveType::kF64}) {
    Literal literal = GenerateArguments({Shape(type, {256})}, 3, ArgumentStyle::kExact)[0];
    for (int i = 0; i < 256; ++i) {
      double v = type == PrimitiveType::kF32 ? literal.data<float>()[i] : literal.data<double>()[i];
      EXPECT_EQ(v, std::round(v));
      EXPECT_LE(std::abs(v), 2);
    }
  }
}

TEST(ArgumentsTest, SpecialValuesOfTwoOperandsMeet) {
  Shape shape(PrimitiveType::kF8E5M2, {4096});
  std::vector<Literal> a = GenerateArguments({shape, shape}, 1, ArgumentStyle::kSpecial);
  std::set<std::pair<int, int>> pairs;
  std::set<int> values;
  for (int i = 0; i < 4096; ++i) {
    pairs.insert({a[0].raw_data()[i], a[1].raw_data()[i]});
    values.insert(a[0].raw_data()[i]);
  }
  EXPECT_GT(values.size(), 20u);
  EXPECT_EQ(pairs.size(), values.size() * values.size());
}

// Without continuation, a search over seeds would give a small array the same few values each time.
TEST(ArgumentsTest, ConsecutiveSeedsGiveASmallArrayAllSpecialValues) {
  for (const Shape& shape : {Shape(PrimitiveType::kF32, {8}), Shape(PrimitiveType::kF32, {})}) {
    const auto& special = SpecialBitsOf(PrimitiveType::kF32);
    std::set<uint32_t> seen;
    const uint64_t seeds = special.size() * 2 / static_cast<uint64_t>(shape.ElementCount()) + 1;
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
      const Literal one = GenerateArgumentsInTurn({shape}, seed, ArgumentStyle::kSpecial)[0];
      for (float value : one.data<float>()) {
        uint32_t bits;
        std::memcpy(&bits, &value, sizeof(bits));
        seen.insert(bits);
      }
    }
    EXPECT_EQ(seen.size(), std::set<uint64_t>(special.begin(), special.end()).size());
  }
}

TEST(ArgumentsTest, LargeArraysInTurnKeepTheirPairs) {
  const Shape shape(PrimitiveType::kF32, {256});
  EXPECT_TRUE(GenerateArgumentsInTurn({shape}, 3, ArgumentStyle::kSpecial)[0].BitwiseEqual(
      GenerateArguments({shape}, 3, ArgumentStyle::kSpecial)[0]));
}

TEST(ArgumentsTest, AllBitsOfAHalf) {
  Literal all =
      GenerateArguments({Shape(PrimitiveType::kF16, {65536})}, 1, ArgumentStyle::kAllBits)[0];
  std::set<uint16_t> seen(all.data<uint16_t>().begin(), all.data<uint16_t>().end());
  EXPECT_EQ(seen.size(), 65536u);
}

TEST(ArgumentsTest, NarrowIntegersStayInRange) {
  Literal s4 = GenerateArguments({Shape(PrimitiveType::kS4, {100})}, 1, ArgumentStyle::kWide)[0];
  for (int8_t v : s4.data<int8_t>()) EXPECT_TRUE(v >= -8 && v < 8) << int{v};
}

}  // namespace
}  // namespace hlocts::generators
