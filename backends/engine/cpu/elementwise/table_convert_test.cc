// SPDX-License-Identifier: Apache-2.0
// Conversions by tables against the same conversions a number at a time.
#include "backends/engine/cpu/elementwise/table_convert.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "spec/ir/float_format.h"

namespace hlocts::cpu {
namespace {

using T = PrimitiveType;
constexpr T kByteFloats[] = {T::kF8E5M2,     T::kF8E4M3FN,   T::kF8E4M3B11FNUZ,
                             T::kF8E5M2FNUZ, T::kF8E4M3FNUZ, T::kF8E4M3,
                             T::kF8E3M4,     T::kF8E8M0FNU,  T::kF4E2M1FN};

bool SameBytes(T type, uint8_t x, uint8_t y) {
  const FloatFormat& format = FormatOf(type);
  return x == y || (IsNanBits(format, x) && IsNanBits(format, y));
}

// Every upper half with what matters below it: nothing, the least, a tie, one more, almost the
// next.
std::vector<float> Numbers() {
  std::vector<float> numbers;
  for (uint32_t upper = 0; upper < 1 << 16; ++upper) {
    for (const uint32_t lower : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      numbers.push_back(std::bit_cast<float>(upper << 16 | lower));
    }
  }
  return numbers;
}

TEST(TableConvertTest, F32ToBytesRoundsOnce) {
  const std::vector<float> numbers = Numbers();
  const auto count = static_cast<int64_t>(numbers.size());
  for (const T type : kByteFloats) {
    SCOPED_TRACE(PrimitiveTypeName(type));
    std::vector<uint8_t> bytes(count);
    const Kernel kernel = ConvertKernel(T::kF32, type);
    // The first time one by one, the second by the table.
    for (int round = 0; round < 2; ++round) {
      kernel(numbers.data(), nullptr, nullptr, bytes.data(), count);
      int64_t wrong = 0;
      for (int64_t i = 0; i < count; ++i) {
        const auto expected =
            static_cast<uint8_t>(EncodeFloat(FormatOf(type), static_cast<double>(numbers[i])));
        wrong += !SameBytes(type, bytes[i], expected);
      }
      EXPECT_EQ(wrong, 0) << "round " << round;
    }
  }
}

TEST(TableConvertTest, BytesToF32AreExact) {
  std::vector<uint8_t> bytes(256);
  for (int i = 0; i < 256; ++i) bytes[i] = static_cast<uint8_t>(i);
  for (const T type : kByteFloats) {
    std::vector<float> numbers(256);
    ConvertKernel(type, T::kF32)(bytes.data(), nullptr, nullptr, numbers.data(), 256);
    const int values = 1 << BitWidth(type);
    for (int i = 0; i < values; ++i) {
      const auto expected = static_cast<float>(DecodeNarrow(type, static_cast<uint8_t>(i)));
      if (expected != expected) {
        EXPECT_TRUE(numbers[i] != numbers[i]) << PrimitiveTypeName(type) << " " << i;
      } else {
        EXPECT_EQ(std::bit_cast<uint32_t>(numbers[i]), std::bit_cast<uint32_t>(expected))
            << PrimitiveTypeName(type) << " " << i;
      }
    }
  }
}

// bf16 has digits for all of them.
TEST(TableConvertTest, BytesToBF16AreExact) {
  std::vector<uint8_t> bytes(256);
  for (int i = 0; i < 256; ++i) bytes[i] = static_cast<uint8_t>(i);
  for (const T type : {T::kF8E5M2, T::kF8E4M3FN, T::kF8E4M3}) {
    std::vector<uint16_t> halves(256);
    ConvertKernel(type, T::kBF16)(bytes.data(), nullptr, nullptr, halves.data(), 256);
    for (int i = 0; i < 256; ++i) {
      const auto expected = static_cast<float>(DecodeNarrow(type, static_cast<uint8_t>(i)));
      const auto got = std::bit_cast<float>(static_cast<uint32_t>(halves[i]) << 16);
      if (expected != expected) {
        EXPECT_TRUE(got != got) << PrimitiveTypeName(type) << " " << i;
      } else {
        EXPECT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(expected))
            << PrimitiveTypeName(type) << " " << i;
      }
    }
  }
}

// Truncates, saturates, NaN is 0.
TEST(TableConvertTest, F32ToSmallIntegers) {
  const std::vector<float> x = {
      0.9f,    -0.9f,  127.5f,    128.0f, -128.9f,
      -129.0f, 255.9f, 256.0f,    -1.0f,  65535.5f,
      1e30f,   -1e30f, 0x1p-140f, 3.99f,  std::bit_cast<float>(0x7fc00000u)};
  const auto count = static_cast<int64_t>(x.size());
  std::vector<int8_t> s8(count);
  std::vector<uint16_t> u16(count);
  ConvertKernel(T::kF32, T::kS8)(x.data(), nullptr, nullptr, s8.data(), count);
  ConvertKernel(T::kF32, T::kU16)(x.data(), nullptr, nullptr, u16.data(), count);
  EXPECT_EQ(
      s8, (std::vector<int8_t>{0, 0, 127, 127, -128, -128, 127, 127, -1, 127, 127, -128, 0, 3, 0}));
  EXPECT_EQ(u16,
            (std::vector<uint16_t>{0, 0, 127, 128, 0, 0, 255, 256, 0, 65535, 65535, 0, 0, 3, 0}));
}

}  // namespace
}  // namespace hlocts::cpu
