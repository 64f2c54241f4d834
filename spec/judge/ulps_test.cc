// SPDX-License-Identifier: Apache-2.0
// Compares distances from the exact value with known distances.
#include "spec/judge/ulps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>

#include "spec/judge/functions.h"
#include "spec/ops/kinds.h"

namespace hlocts {
namespace {

// exp(1) is 2.718281828459045235360287...; its ulp is 2^-22 in f32 and 2^-51 in f64.
TEST(UlpsTest, StepsFromTheNearestValueAreUlps) {
  const FloatFacts& f32 = FactsOf(PrimitiveType::kF32);
  const double nearest = static_cast<double>(static_cast<float>(std::exp(1.0)));
  const double off = std::fabs(nearest - std::exp(1.0)) / 0x1p-22;
  EXPECT_NEAR(*UlpsFromExact(Opcode::kExponential, 1, 0, nearest, f32), off, 1e-6);
  EXPECT_NEAR(*UlpsFromExact(Opcode::kExponential, 1, 0, nearest + 3 * 0x1p-22, f32), 3,
              off + 1e-6);
  EXPECT_LE(off, 0.5);
}

TEST(UlpsTest, DoublesAreMeasuredFinerThanTheLibrary) {
  const FloatFacts& f64 = FactsOf(PrimitiveType::kF64);
  const double e = 0x1.5bf0a8b145769p+1;  // the double next to 2.71828182845904523536028747135266
  // The next digits of e give 2.718281828459045235360287 - 2.718281828459045090795598 = 1.4456e-16.
  EXPECT_NEAR(*UlpsFromExact(Opcode::kExponential, 1, 0, e, f64), 1.4456e-16 / 0x1p-51, 1e-4);
  EXPECT_NEAR(*UlpsFromExact(Opcode::kExponential, 1, 0, NextUp(e), f64), 1 - 1.4456e-16 / 0x1p-51,
              1e-4);
}

TEST(UlpsTest, TwoArguments) {
  const FloatFacts& f32 = FactsOf(PrimitiveType::kF32);
  EXPECT_EQ(RealArguments(Opcode::kPower), 2);
  EXPECT_EQ(RealArguments(Opcode::kAtan2), 2);
  EXPECT_EQ(RealArguments(Opcode::kAdd), 0);
  EXPECT_NEAR(*UlpsFromExact(Opcode::kPower, 3, 2, 9, f32), 0, 1e-6);
  EXPECT_NEAR(*UlpsFromExact(Opcode::kPower, -3, 3, -27 - 2 * 0x1p-19, f32), 2, 1e-6);
  EXPECT_FALSE(UlpsFromExact(Opcode::kPower, -3, 0.5, 1, f32).has_value());
  // atan2(1, -1) is three quarters of pi.
  const double value = static_cast<double>(static_cast<float>(2.356194490192345));
  EXPECT_LE(*UlpsFromExact(Opcode::kAtan2, 1, -1, value, f32), 0.5);
}

TEST(UlpsTest, WhatSaysNothingIsNotMeasured) {
  const FloatFacts& f32 = FactsOf(PrimitiveType::kF32);
  const double tiny = 0x1p-130;
  EXPECT_FALSE(UlpsFromExact(Opcode::kTanh, tiny, 0, 0, f32).has_value()) << "a flush";
  EXPECT_FALSE(UlpsFromExact(Opcode::kTanh, 0, 0, 0, f32).has_value());
  EXPECT_FALSE(UlpsFromExact(Opcode::kExponential, -100, 0, 0, f32).has_value());
  EXPECT_FALSE(UlpsFromExact(Opcode::kExponential, 100, 0, kInfinity, f32).has_value());
  EXPECT_FALSE(UlpsFromExact(Opcode::kLog, -1, 0, 1, f32).has_value()) << "outside of the domain";
  EXPECT_FALSE(UlpsFromExact(Opcode::kLog, 2, 0, std::nan(""), f32).has_value());
}

// For every function, C's result for a double rounded to f32 is off by at most half an ulp, and a
// number three steps away is off by at least two and a half ulps.
TEST(UlpsTest, EveryFunctionIsMeasured) {
  const FloatFacts& f32 = FactsOf(PrimitiveType::kF32);
  const FloatFacts& f64 = FactsOf(PrimitiveType::kF64);
  size_t functions = 0;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    if (RealArguments(opcode) == 0) continue;
    ++functions;
    const double x = opcode == Opcode::kAcosh ? 1.75 : 0.625, y = 1.5;
    const Enclosure exact = *EncloseCall(opcode, x, y);
    const double near = f32.Round(exact.lo), ulp = f32.Ulp(near);
    EXPECT_LE(*UlpsFromExact(opcode, x, y, near, f32), 0.5 + 1e-6) << OpcodeName(opcode);
    EXPECT_GE(*UlpsFromExact(opcode, x, y, near + 3 * ulp, f32), 2.5) << OpcodeName(opcode);
    EXPECT_LE(*UlpsFromExact(opcode, x, y, exact.lo, f64), 11) << OpcodeName(opcode);
    const double fine = *UlpsFromExact(opcode, x, y, near, f64);
    EXPECT_NEAR(fine * f64.Ulp(near), std::fabs(near - exact.lo), 1e-14) << OpcodeName(opcode);
  }
  EXPECT_EQ(functions, std::size(ops::kRealFunctionOpcodes) + 1);  // plus the square root
}

}  // namespace
}  // namespace hlocts
