// Divisions and conversions in vectors against those of one element at a time, bit for bit, on
// edges of every type and random bits, in arrays whose last elements fill no vector.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "backends/cpu/elementwise/families.h"
#include "gtest/gtest.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kCount = 100003;

// Random bits, every third element of few bits; the first are the type's edges.
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

template <typename T>
void CompareDivisions(PrimitiveType type) {
  const std::vector<T> x = Elements<T>(1), y = Elements<T>(2);
  std::vector<T> want(kCount), got(kCount);
  for (Opcode opcode : {Opcode::kDivide, Opcode::kRemainder}) {
    IntegerKernel(opcode, type)({}, x.data(), y.data(), nullptr, want.data(), kCount);
    VectorDivision(opcode, type)({}, x.data(), y.data(), nullptr, got.data(), kCount);
    for (int64_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(got[i], want[i]) << OpcodeName(opcode) << " of " << +x[i] << " and " << +y[i];
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

// Numbers around the bounds of every integer type, then whatever bits there are.
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

template <typename T>
void CompareConversions(PrimitiveType from, const std::vector<T>& x) {
  for (PrimitiveType to :
       {PrimitiveType::kS8, PrimitiveType::kU8, PrimitiveType::kS16, PrimitiveType::kU16,
        PrimitiveType::kS32, PrimitiveType::kU32, PrimitiveType::kS64, PrimitiveType::kU64,
        PrimitiveType::kF32, PrimitiveType::kF64}) {
    const KernelFunction vector = VectorConvert(from, to);
    if (vector == nullptr || from == to) continue;
    const size_t bytes = kCount * StorageBytes(to);
    std::vector<uint8_t> want(bytes), got(bytes);
    NativeConvert(from, to)({}, x.data(), nullptr, nullptr, want.data(), kCount);
    vector({}, x.data(), nullptr, nullptr, got.data(), kCount);
    for (int64_t i = 0; i < kCount; ++i) {
      const int64_t at = i * StorageBytes(to);
      const bool nan = IsFloat(to) && x[i] != x[i];
      ASSERT_TRUE(nan || std::memcmp(&got[at], &want[at], StorageBytes(to)) == 0)
          << PrimitiveTypeName(from) << " " << +x[i] << " to " << PrimitiveTypeName(to);
    }
  }
}
TEST(VectorLoops, ConvertAsOneElementAtATime) {
  CompareConversions(PrimitiveType::kF32, Floats<float>());
  CompareConversions(PrimitiveType::kF64, Floats<double>());
  CompareConversions(PrimitiveType::kS32, Elements<int32_t>(4));
  CompareConversions(PrimitiveType::kU32, Elements<uint32_t>(5));
  CompareConversions(PrimitiveType::kS64, Elements<int64_t>(6));
  CompareConversions(PrimitiveType::kU64, Elements<uint64_t>(7));
}

// The processor's conversions of f16, where it has them, against tables of f32's bits: every f16
// there and back, and what lies just beside the middle between two.
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
  // 0x7bff is the largest finite f16; beyond the middle to the next step it is infinite.
  std::vector<float> beside;
  for (int i = 0; i < 0x7bff; ++i) {
    const float middle = (floats[i] + floats[i + 1]) / 2;
    beside.insert(beside.end(), {std::nextafter(middle, 0.0f), middle, std::nextafter(middle, 1e9f)});
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
