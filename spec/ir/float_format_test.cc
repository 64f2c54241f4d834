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

TEST(FloatFormatTest, SubnormalsOfBf16AreSubnormalFloats) {
  EXPECT_EQ(DecodeNarrow(PrimitiveType::kBF16, 0x0001), std::ldexp(1.0f, -133));
  EXPECT_EQ(DecodeNarrow(PrimitiveType::kBF16, 0x807f), -std::ldexp(127.0f, -133));
  EXPECT_EQ(DecodeNarrow(PrimitiveType::kF8E8M0FNU, 0x00), std::ldexp(1.0f, -127));
  EXPECT_TRUE(std::isnan(DecodeNarrow(PrimitiveType::kBF16, 0xffc0)));
  EXPECT_TRUE(std::signbit(DecodeNarrow(PrimitiveType::kBF16, 0xffc0)));
  EXPECT_EQ(DecodeNarrow(PrimitiveType::kF16, 0xfc00), -HUGE_VALF);
}

#if defined(__x86_64__)
// All callers share the tables, even if the first caller is an engine that flushes subnormals.
TEST(FloatFormatDeathTest, TablesMadeUnderFlushAreWhole) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // a process without tables
  auto decode = [] {
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    DecodeNarrow(PrimitiveType::kBF16, 0x3f80);
    _mm_setcsr(before);
    std::_Exit(DecodeNarrow(PrimitiveType::kBF16, 0x0001) == std::ldexp(1.0f, -133) ? 0 : 1);
  };
  EXPECT_EXIT(decode(), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace hlocts
