// SPDX-License-Identifier: Apache-2.0
// Compares vector divisions and conversions with scalar code, bit for bit. The operands are edge
// values of each type and random bits. The number of elements is not a multiple of a vector's.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "backends/engine/cpu/elementwise/families.h"
#include "gtest/gtest.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kCount = 100003;

// Returns edge values of the type, then random bits. Every third element has few significant bits.
template <typename T>
std::vector<T> Elements(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> elements(kCount);
  for (int64_t i = 0; i < kCount; ++i) {
    const uint64_t bits = i % 3 == 0 ? random() >> (random() % 64) : random();
    std::memcpy(&elements[i], &bits, sizeof(T));
  }
  using Limits = std::numeric_limits<T>;
  const T edges[] = {T(0),          T(1),          static_cast<T>(-1),
                     Limits::min(), Limits::max(), Limits::lowest()};
  for (int64_t i = 0; i < 36; ++i) elements[i] = edges[seed % 2 == 0 ? i % 6 : i / 6];
  return elements;
}

// Divides in 64 bits, in which quotients of up to 32 bits cannot overflow.
template <typename T>
T Divided(Opcode opcode, T x, T y) {
  const int64_t a = x, b = y;
  if (opcode == Opcode::kDivide) return static_cast<T>(b == 0 ? -1 : a / b);
  return static_cast<T>(b == 0 ? a : a % b);
}

template <typename T>
void CompareDivisions(PrimitiveType type) {
  const std::vector<T> x = Elements<T>(1), y = Elements<T>(2);
  std::vector<T> got(kCount);
  for (Opcode opcode : {Opcode::kDivide, Opcode::kRemainder}) {
    VectorDivision(opcode, type)({}, x.data(), y.data(), nullptr, got.data(), kCount);
    for (int64_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(got[i], Divided(opcode, x[i], y[i]))
          << OpcodeName(opcode) << " of " << +x[i] << " and " << +y[i];
    }
  }
}
TEST(VectorLoops, DivideAsOneElementAtATime) {
  CompareDivisions<int8_t>(PrimitiveType::kS8);
  CompareDivisions<uint8_t>(PrimitiveType::kU8);
  CompareDivisions<int16_t>(PrimitiveType::kS16);
  CompareDivisions<uint16_t>(PrimitiveType::kU16);
  CompareDivisions<int32_t>(PrimitiveType::kS32);
  CompareDivisions<uint32_t>(PrimitiveType::kU32);
}

// Checks divisions of many elements by one number. About half of the dividends are multiples of the
// divisor, or differ from a multiple by 1.
template <typename T>
void CompareDivisionsByCommonDivisor(PrimitiveType type) {
  std::vector<T> x = Elements<T>(1), got(kCount);
  std::vector<T> divisors = Elements<T>(2);
  divisors.resize(100);
  for (T y : {2, 3, 7, 10, 100, 127}) divisors.push_back(y);
  for (T y : divisors) {
    for (int64_t i = 36; i < kCount; i += 2) {
      const uint64_t multiple = static_cast<uint64_t>(x[i - 1]) / (y == 0 ? 1 : y) * y;
      x[i] = static_cast<T>(multiple + i / 2 % 3 - 1);
    }
    for (Opcode opcode : {Opcode::kDivide, Opcode::kRemainder}) {
      const std::vector<T> all(kCount, y);
      VectorDivision(opcode, type)({}, x.data(), all.data(), nullptr, got.data(), kCount);
      for (int64_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(got[i], Divided(opcode, x[i], y))
            << OpcodeName(opcode) << " of " << +x[i] << " and " << +y;
      }
    }
  }
}
TEST(VectorLoops, DivideByOneNumber) {
  CompareDivisionsByCommonDivisor<int8_t>(PrimitiveType::kS8);
  CompareDivisionsByCommonDivisor<int32_t>(PrimitiveType::kS32);
  CompareDivisionsByCommonDivisor<uint32_t>(PrimitiveType::kU32);
}

// Returns numbers near the bounds of every integer type, then random bits.
template <typename T>
std::vector<T> Floats() {
  std::vector<T> elements = Elements<T>(3);
  int64_t at = 0;
  for (int power = 6; power <= 65; ++power) {
    const T bound = std::ldexp(T(1), power);
    for (T x :
         {std::nextafter(bound, T(0)), bound, std::nextafter(2 * bound, T(0)), bound - T(0.5)}) {
      elements[at++] = x;
      elements[at++] = -x;
    }
  }
  using Limits = std::numeric_limits<T>;
  for (T x : {Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min(), T(0.75)}) {
    elements[at++] = x;
    elements[at++] = -x;
  }
  return elements;
}

// Converts as HLO specifies. Floats to integers: truncates and saturates; NaN becomes zero.
// Integers to integers: wraps. To floats: rounds to nearest.
template <typename To, typename From>
To Converted(From x) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    const From beyond = std::ldexp(From(1), std::numeric_limits<To>::digits);
    if (std::isnan(x)) return 0;
    if (x >= beyond) return std::numeric_limits<To>::max();
    if (x <= static_cast<From>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
  }
  return static_cast<To>(x);
}

template <typename To, typename From>
void CompareInto(PrimitiveType from, PrimitiveType to, const std::vector<From>& x) {
  const KernelFunction vector = VectorConvert(from, to);
  ASSERT_NE(vector, nullptr) << PrimitiveTypeName(from) << " to " << PrimitiveTypeName(to);
  std::vector<To> got(kCount);
  vector({}, x.data(), nullptr, nullptr, got.data(), kCount);
  for (int64_t i = 0; i < kCount; ++i) {
    const To want = Converted<To>(x[i]);
    const bool nan = IsFloat(to) && x[i] != x[i];
    ASSERT_TRUE(nan || std::memcmp(&got[i], &want, sizeof(To)) == 0)
        << PrimitiveTypeName(from) << " " << +x[i] << " to " << PrimitiveTypeName(to);
  }
}

template <typename T>
void CompareConversions(PrimitiveType from, const std::vector<T>& x) {
  CompareInto<int8_t>(from, PrimitiveType::kS8, x);
  CompareInto<uint8_t>(from, PrimitiveType::kU8, x);
  CompareInto<int16_t>(from, PrimitiveType::kS16, x);
  CompareInto<uint16_t>(from, PrimitiveType::kU16, x);
  CompareInto<int32_t>(from, PrimitiveType::kS32, x);
  CompareInto<uint32_t>(from, PrimitiveType::kU32, x);
  CompareInto<int64_t>(from, PrimitiveType::kS64, x);
  CompareInto<uint64_t>(from, PrimitiveType::kU64, x);
  CompareInto<float>(from, PrimitiveType::kF32, x);
  CompareInto<double>(from, PrimitiveType::kF64, x);
}
TEST(VectorLoops, ConvertAsOneElementAtATime) {
  CompareConversions(PrimitiveType::kF32, Floats<float>());
  CompareConversions(PrimitiveType::kF64, Floats<double>());
  CompareConversions(PrimitiveType::kS8, Elements<int8_t>(8));
  CompareConversions(PrimitiveType::kU8, Elements<uint8_t>(9));
  CompareConversions(PrimitiveType::kS16, Elements<int16_t>(10));
  CompareConversions(PrimitiveType::kU16, Elements<uint16_t>(11));
  CompareConversions(PrimitiveType::kS32, Elements<int32_t>(4));
  CompareConversions(PrimitiveType::kU32, Elements<uint32_t>(5));
  CompareConversions(PrimitiveType::kS64, Elements<int64_t>(6));
  CompareConversions(PrimitiveType::kU64, Elements<uint64_t>(7));
}

// Compares the processor's f16 conversions, if it has any, with tables: every f16 in both
// directions, and f32 numbers next to the midpoints of adjacent f16 numbers.
TEST(VectorLoops, EveryF16) {
  std::vector<uint16_t> halves(65536), back(65536);
  std::vector<float> floats(65536);
  for (int i = 0; i < 65536; ++i) halves[i] = static_cast<uint16_t>(i);
  const KernelFunction widen = VectorConvert(PrimitiveType::kF16, PrimitiveType::kF32);
  const KernelFunction narrow = VectorConvert(PrimitiveType::kF32, PrimitiveType::kF16);
  widen({}, halves.data(), nullptr, nullptr, floats.data(), 65536);
  narrow({}, floats.data(), nullptr, nullptr, back.data(), 65536);
  for (int i = 0; i < 65536; ++i) {
    const int exponent = i >> 10 & 31, mantissa = i & 1023;
    if (exponent == 31 && mantissa != 0) {
      EXPECT_TRUE(std::isnan(floats[i]) && (back[i] & 0x7c00) == 0x7c00 && (back[i] & 1023) != 0);
      continue;
    }
    const float size = exponent == 31  ? std::numeric_limits<float>::infinity()
                       : exponent == 0 ? std::ldexp(float(mantissa), -24)
                                       : std::ldexp(float(mantissa + 1024), exponent - 25);
    ASSERT_EQ(std::abs(floats[i]), size) << i;
    ASSERT_EQ(std::signbit(floats[i]), i >= 32768) << i;
    ASSERT_EQ(back[i], i);
  }
  // 0x7bff is the largest finite f16. Numbers above the midpoint to 2^16 become infinite.
  std::vector<float> beside;
  for (int i = 0; i < 0x7bff; ++i) {
    const float middle = (floats[i] + floats[i + 1]) / 2;
    beside.insert(beside.end(),
                  {std::nextafter(middle, 0.0f), middle, std::nextafter(middle, 1e9f)});
  }
  std::vector<uint16_t> rounded(beside.size());
  narrow({}, beside.data(), nullptr, nullptr, rounded.data(), static_cast<int64_t>(beside.size()));
  for (int i = 0; i < 0x7bff; ++i) {
    ASSERT_EQ(rounded[3 * i], i);
    ASSERT_EQ(rounded[3 * i + 1], i + (i & 1));
    ASSERT_EQ(rounded[3 * i + 2], i + 1);
  }
}

}  // namespace
}  // namespace hlocts::cpu
