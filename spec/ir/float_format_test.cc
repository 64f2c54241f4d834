// SPDX-License-Identifier: Apache-2.0
// Tests that decoding narrow floats is independent of the processor's subnormal mode.
#include "spec/ir/float_format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hlocts {
namespace {

// Access to the processor's floating-point modes. kFlush: the bits that make it flush subnormals.
#if defined(__x86_64__)
constexpr uint64_t kFlush = 0x8040;
uint64_t Modes() { return _mm_getcsr(); }
void SetModes(uint64_t modes) { _mm_setcsr(static_cast<unsigned>(modes)); }
#elif defined(__aarch64__)
constexpr uint64_t kFlush = 1 << 24;
uint64_t Modes() {
  uint64_t modes;
  asm volatile("mrs %0, fpcr" : "=r"(modes));
  return modes;
}
void SetModes(uint64_t modes) { asm volatile("msr fpcr, %0" : : "r"(modes)); }
#endif

TEST(FloatFormatTest, SubnormalsOfBf16AreSubnormalFloats) {
  EXPECT_EQ(DecodeNarrow(PrimitiveType::kBF16, 0x0001), std::ldexp(1.0f, -133));
  EXPECT_EQ(DecodeNarrow(PrimitiveType::kBF16, 0x807f), -std::ldexp(127.0f, -133));
  EXPECT_EQ(DecodeNarrow(PrimitiveType::kF8E8M0FNU, 0x00), std::ldexp(1.0f, -127));
  EXPECT_TRUE(std::isnan(DecodeNarrow(PrimitiveType::kBF16, 0xffc0)));
  EXPECT_TRUE(std::signbit(DecodeNarrow(PrimitiveType::kBF16, 0xffc0)));
  EXPECT_EQ(DecodeNarrow(PrimitiveType::kF16, 0xfc00), -HUGE_VALF);
}

#if defined(__x86_64__) || defined(__aarch64__)
// The shared tables are correct even if the caller that fills them flushes subnormals.
TEST(FloatFormatDeathTest, TablesMadeUnderFlushAreWhole) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // a new process, which has no tables
  auto decode = [] {
    const uint64_t before = Modes();
    SetModes(before | kFlush);
    DecodeNarrow(PrimitiveType::kBF16, 0x3f80);
    SetModes(before);
    std::_Exit(DecodeNarrow(PrimitiveType::kBF16, 0x0001) == std::ldexp(1.0f, -133) ? 0 : 1);
  };
  EXPECT_EXIT(decode(), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace hlocts
