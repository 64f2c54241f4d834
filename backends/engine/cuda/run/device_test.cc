// SPDX-License-Identifier: Apache-2.0
// Compares element operations of the kernels with the number types of spec/ir.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "backends/engine/cuda/device/dispatch.h"
#include "spec/ir/float_format.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::cuda {
namespace {

int NumberOf(PrimitiveType type) { return static_cast<int>(type); }

bool IsNarrow(PrimitiveType type) { return IsFloat(type) && BitWidth(type) <= 16; }

TEST(DeviceTest, TypesHaveTheirWidthsAndClasses) {
  int arrays = 0;
  for (PrimitiveType type : AllPrimitiveTypes()) {
    if (!IsArrayType(type)) continue;
    ++arrays;
    EXPECT_EQ(hl::BitsOf(NumberOf(type)), BitWidth(type)) << PrimitiveTypeName(type);
    EXPECT_EQ(hl::BytesOf(NumberOf(type)), StorageBytes(type)) << PrimitiveTypeName(type);
    const int of = hl::ClassOf(NumberOf(type));
    EXPECT_EQ(of == hl::kClassSigned, IsSigned(type)) << PrimitiveTypeName(type);
    EXPECT_EQ(of == hl::kClassUnsigned, IsUnsigned(type)) << PrimitiveTypeName(type);
    EXPECT_EQ(of == hl::kClassComplex, IsComplex(type)) << PrimitiveTypeName(type);
  }
  EXPECT_EQ(arrays, 30);
}

TEST(DeviceTest, EveryCodeOfEveryNarrowFormatDecodes) {
  for (PrimitiveType type : AllPrimitiveTypes()) {
    if (!IsNarrow(type)) continue;
    for (uint32_t code = 0; code < 1u << BitWidth(type); ++code) {
      const double want = DecodeFloat(FormatOf(type), code);
      const float got = hl::Decode(NumberOf(type), code);
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(got)) << PrimitiveTypeName(type) << " " << code;
      } else {
        EXPECT_EQ(static_cast<double>(got), want) << PrimitiveTypeName(type) << " " << code;
        EXPECT_EQ(std::signbit(got), std::signbit(want)) << PrimitiveTypeName(type) << " " << code;
      }
      // A value that is only moved keeps its bits, including a NaN's payload.
      EXPECT_EQ(hl::Encode(NumberOf(type), got), code) << PrimitiveTypeName(type);
    }
  }
}

// As in C's Annex G (ruling 0034), the tangent of an infinite angle is NaN.
TEST(DeviceTest, TanhOfANumberWithAnAngleThatIsNoneIsNan) {
  for (double x : {-800.0, -30.0, 0.5, 30.0, 800.0}) {
    for (double y : {hl::Infinity(), -hl::Infinity(), hl::NotANumber()}) {
      const hl::Complex t = hl::ComplexTanh({x, y});
      EXPECT_TRUE(std::isnan(t.re) && std::isnan(t.im)) << x << " " << y;
    }
  }
  EXPECT_EQ(hl::ComplexTanh({hl::Infinity(), hl::Infinity()}).re, 1);
}

TEST(DeviceTest, InverseFunctionsOfInfinitiesAreAnnexG) {
  const double inf = hl::Infinity(), nan = hl::NotANumber(), pi = std::acos(-1.0);
  for (const double sign : {1.0, -1.0}) {
    EXPECT_EQ(hl::ComplexAcos({inf, sign * inf}).re, pi / 4);
    EXPECT_EQ(hl::ComplexAcos({-inf, sign * inf}).re, 3 * pi / 4);
    EXPECT_EQ(hl::ComplexAcos({-inf, sign * 2}).im, -sign * inf);
    EXPECT_EQ(hl::ComplexAsin({sign * inf, inf}).re, sign * pi / 4);
    EXPECT_EQ(hl::ComplexAcosh({inf, sign * inf}).im, sign * pi / 4);
    EXPECT_EQ(hl::ComplexAcosh({-inf, sign * inf}).im, sign * 3 * pi / 4);
    EXPECT_EQ(hl::ComplexAtanh({nan, sign * inf}).im, sign * pi / 2);
    EXPECT_TRUE(std::isnan(hl::ComplexAcos({nan, sign * inf}).re));
    EXPECT_TRUE(std::isnan(hl::ComplexAcosh({nan, sign * inf}).im));
    const hl::Complex open = hl::ComplexAtanh({nan, sign * 1e308});
    EXPECT_TRUE(std::isnan(open.re) && std::isnan(open.im));
    const hl::Complex angle = hl::ComplexAtanh({sign * inf, nan});
    EXPECT_TRUE(angle.re == 0 && std::signbit(angle.re) == (sign < 0) && std::isnan(angle.im));
  }
}

TEST(DeviceTest, SignsOfTheLeastAndTheLargestComplexNumbers) {
  for (const double size : {5e-324, 1.7e308}) {
    const hl::Complex sign = hl::ComplexSign({size, -size});
    EXPECT_DOUBLE_EQ(sign.re, std::sqrt(0.5)) << size;
    EXPECT_DOUBLE_EQ(sign.im, -std::sqrt(0.5)) << size;
  }
}

// The exact angle is slightly below the midpoint of two f8e5m2 values. f32 would round it up.
TEST(DeviceTest, FunctionsInF64AreRoundedOnce) {
  hl::Value y, x;
  y.f = 3 * 0x1p-16f;
  x.f = 2;
  EXPECT_EQ(hl::Binary(hl::kOpAtan2, hl::kF8E5M2, y, x, hl::kMathDouble).f, 0x1p-16f);
}

TEST(DeviceTest, SignedIntegersAndFloatsOfAWidthAreBitcastBothWays) {
  const std::map<int, int> integers = {{4, hl::kS4}, {8, hl::kS8}, {16, hl::kS16}};
  for (PrimitiveType type : AllPrimitiveTypes()) {
    if (!IsNarrow(type)) continue;
    const int integer = integers.at(BitWidth(type)), number = NumberOf(type);
    for (uint32_t code = 0; code < 1u << BitWidth(type); ++code) {
      const hl::Value bits = hl::FromBits(integer, code);
      const hl::Value value = hl::BitcastConvert(integer, number, bits);
      EXPECT_EQ(hl::ToBits(number, value), code) << PrimitiveTypeName(type);
      EXPECT_EQ(hl::BitcastConvert(number, integer, value).s, bits.s) << PrimitiveTypeName(type);
    }
  }
}

void ExpectEncoding(PrimitiveType type, double x) {
  ASSERT_EQ(hl::EncodeDouble(NumberOf(type), x), EncodeFloat(FormatOf(type), x))
      << PrimitiveTypeName(type) << " " << x;
}

TEST(DeviceTest, DoublesRoundOnceToEveryNarrowFormat) {
  std::mt19937_64 random(1);
  for (PrimitiveType type : AllPrimitiveTypes()) {
    if (!IsNarrow(type)) continue;
    for (double x : {0.0, -0.0, HUGE_VAL, -HUGE_VAL, 5e-324, -1e-310, 1e300})
      ExpectEncoding(type, x);
    for (uint32_t code = 0; code < 1u << BitWidth(type); ++code) {
      const double x = DecodeFloat(FormatOf(type), code);
      if (!std::isfinite(x)) continue;
      // Tests the numbers next to x, and those next to the midpoint between x and the next value.
      const double next = DecodeFloat(FormatOf(type), code + 1);
      for (double at : {x, (x + next) / 2}) {
        ExpectEncoding(type, at);
        ExpectEncoding(type, std::nextafter(at, HUGE_VAL));
        ExpectEncoding(type, std::nextafter(at, -HUGE_VAL));
      }
    }
    for (int i = 0; i < 20000; ++i) {
      ExpectEncoding(
          type, std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 300) - 200));
    }
  }
}

TEST(DeviceTest, IntegersOfEveryWidthMultiplyHigh) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 10000; ++i) {
    const uint64_t x = random() >> random() % 64, y = random() >> random() % 64;
    const auto wide = static_cast<unsigned __int128>(x) * y;
    EXPECT_EQ(hl::UpperHalf(hl::kU64, x, y), static_cast<uint64_t>(wide >> 64));
    const auto product = static_cast<__int128>(static_cast<int64_t>(x)) * static_cast<int64_t>(y);
    EXPECT_EQ(hl::UpperHalf(hl::kS64, x, y), static_cast<uint64_t>(product >> 64));
  }
}

// The fast conversions to f16 and bf16 agree with the general conversion, including at midpoints
// and adjacent numbers.
TEST(DeviceTest, CommonNarrowFormatsRoundLikeTheOthers) {
  for (const int type : {hl::kF16, hl::kBF16}) {
    for (uint64_t high = 0; high < 1 << 19; ++high) {
      for (const uint32_t low : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu}) {
        const float x = hl::FloatOfBits(static_cast<uint32_t>(high << 13) | low);
        if (x != x) continue;
        ASSERT_EQ(hl::Encode(type, x), hl::EncodeDouble(type, static_cast<double>(x))) << x;
      }
    }
  }
}

// Repaired splits yield a permutation for any comparator, even an inconsistent one.
TEST(DeviceTest, SplitsOfARowAreRepaired) {
  hl::SortArgs args = {};
  args.size = 300;
  args.inner = 1;
  args.width = 128;
  args.chunk = hl::kSortChunk;
  args.chunks = (args.size + args.chunk - 1) / args.chunk;
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<hl::i64> splits(args.chunks + 1), before;
    for (hl::i64& split : splits) split = random() % 200;
    args.splits = splits.data();
    for (hl::i64 pair = 0; pair < 2; ++pair) hl::SortRepairAt(args, pair);
    for (hl::i64 c = 0; c < args.chunks; ++c) {
      const hl::i64 begin = c * args.chunk / 256 * 256, at = c * args.chunk - begin;
      const hl::i64 left = std::min<hl::i64>(args.size - begin, 128);
      const hl::i64 right = std::min<hl::i64>(args.size - begin - left, 128);
      EXPECT_LE(splits[c], std::min(left, at));
      EXPECT_LE(at - splits[c], right);
      if (at > 0) {
        EXPECT_GE(splits[c], splits[c - 1]);
        EXPECT_LE(splits[c], splits[c - 1] + args.chunk);
      }
    }
  }
}

}  // namespace
}  // namespace hlocts::cuda
