// SPDX-License-Identifier: Apache-2.0
// Vector code of c64 against the strict profile's, which goes an element at a time.
#include <cmath>
#include <complex>
#include <vector>

#include "backends/engine/cpu/base/float_control.h"
#include "backends/engine/cpu/elementwise/kernel.h"
#include "gtest/gtest.h"
#include "spec/ir/opcode.h"

namespace hlocts::cpu {
namespace {

using Complex = std::complex<float>;
using Complexes = std::vector<Complex>;

constexpr Opcode kComplexOpcodes[] = {Opcode::kDivide,
                                      Opcode::kPower,
                                      Opcode::kSign,
                                      Opcode::kExponential,
                                      Opcode::kExponentialMinusOne,
                                      Opcode::kLog,
                                      Opcode::kLogPlusOne,
                                      Opcode::kLogistic,
                                      Opcode::kSine,
                                      Opcode::kCosine,
                                      Opcode::kTan,
                                      Opcode::kSinh,
                                      Opcode::kCosh,
                                      Opcode::kTanh};
constexpr float kComplexParts[] = {0.0f,    1.0f,  2.0f,       0.3f,  0x1p-149f, 1e-30f,   1e20f,
                                   3.4e38f, 88.0f, 3.1415927f, 50.0f, 1e4f,      INFINITY, NAN};

Complexes ComplexResults(Opcode opcode, const Complexes& x, const Complexes& y, bool strict) {
  Complexes r(x.size());
  const Kernel kernel = ArithmeticKernel(opcode, PrimitiveType::kC64, {.strict = strict});
  kernel(x.data(), y.data(), nullptr, r.data(), static_cast<int64_t>(x.size()));
  return r;
}

// A NaN for a NaN, else within a unit in the last place and of the same sign.
bool IsSamePart(float actual, float expected) {
  if (std::isnan(expected) || std::isinf(expected)) {
    return std::isnan(expected) ? std::isnan(actual) : actual == expected;
  }
  const float unit = std::ldexp(1.0f, std::max(std::ilogb(expected), -126) - 23);
  return std::signbit(actual) == std::signbit(expected) && std::fabs(actual - expected) <= unit;
}
void ExpectLikeStrict(Opcode opcode, const Complexes& x, const Complexes& y) {
  const Complexes actual = ComplexResults(opcode, x, y, false);
  const Complexes expected = ComplexResults(opcode, x, y, true);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_TRUE(IsSamePart(actual[i].real(), expected[i].real()) &&
                IsSamePart(actual[i].imag(), expected[i].imag()))
        << OpcodeName(opcode) << " of " << x[i] << ", " << y[i] << " is " << actual[i] << " not "
        << expected[i];
  }
}

Complexes SpecialComplexes() {
  Complexes x;
  for (const float a : kComplexParts) {
    for (const float b : kComplexParts) {
      x.push_back({a, b}), x.push_back({-a, b}), x.push_back({a, -b}), x.push_back({-a, -b});
    }
  }
  return x;
}
// On spirals, and about the unit circle, where the logarithm vanishes.
Complexes OrdinaryComplexes() {
  Complexes x;
  float size = 1e-8f;
  for (float angle = 0; size < 90; angle += 0.71f, size *= 1.003f) {
    x.push_back(std::polar(size, angle));
    x.push_back(std::polar(1.0f, angle));
    x.push_back({1, size});
    x.push_back({size, 1.5707964f});
  }
  return x;
}

TEST(VectorComplexTest, SpecialNumbersAreAsInStrict) {
  const Complexes special = SpecialComplexes();
  for (const Opcode opcode : kComplexOpcodes) {
    for (const Complex other : {Complex(0, 0), Complex(1, 0), Complex(-2, 0), Complex(0.5f, 3),
                                Complex(-INFINITY, 1), Complex(0, NAN), Complex(1e20f, -1e-20f)}) {
      ExpectLikeStrict(opcode, special, Complexes(special.size(), other));
      ExpectLikeStrict(opcode, Complexes(special.size(), other), special);
    }
  }
}

TEST(VectorComplexTest, OrdinaryNumbersAreAsInStrict) {
  const Complexes ordinary = OrdinaryComplexes();
  const Complexes turned(ordinary.rbegin(), ordinary.rend());
  for (const Opcode opcode : kComplexOpcodes) ExpectLikeStrict(opcode, ordinary, turned);
}

TEST(VectorComplexTest, SizesAreAsInStrict) {
  Complexes x = SpecialComplexes();
  for (const Complex& ordinary : OrdinaryComplexes()) x.push_back(ordinary);
  std::vector<float> sizes(x.size()), expected(x.size());
  const int64_t count = static_cast<int64_t>(x.size());
  ArithmeticKernel(Opcode::kAbs, PrimitiveType::kC64)(x.data(), nullptr, nullptr, sizes.data(),
                                                      count);
  ArithmeticKernel(Opcode::kAbs, PrimitiveType::kC64, {.strict = true})(x.data(), nullptr, nullptr,
                                                                        expected.data(), count);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_TRUE(IsSamePart(sizes[i], expected[i])) << x[i];
}

// Extreme neighbours, the end of an array, flushed subnormals, and a result in the operand's place.
TEST(VectorComplexTest, BitsDependOnNothingElse) {
  const Complexes x = OrdinaryComplexes(), y(x.size(), Complex(1.5f, -0.5f));
  const Complex extreme(INFINITY, 1e10f);
  for (const Opcode opcode : kComplexOpcodes) {
    const Complexes r = ComplexResults(opcode, x, y, false);
    const ScopedFlush flush(true);
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(ComplexResults(opcode, {x[i]}, {y[i]}, false)[0], r[i]);
      Complexes beside = {extreme, x[i], Complex(0, 0)};
      const Complexes exponents = {extreme, y[i], Complex(0, 0)};
      const Kernel kernel = ArithmeticKernel(opcode, PrimitiveType::kC64);
      kernel(beside.data(), exponents.data(), nullptr, beside.data(), 3);
      EXPECT_EQ(beside[1], r[i]);
    }
  }
}

}  // namespace
}  // namespace hlocts::cpu
