// SPDX-License-Identifier: Apache-2.0
// Compares vector kernels for c64 with the scalar kernels of the strict profile. Products may
// differ by three roundings of their terms, magnitudes by one ulp.
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "backends/engine/cpu/elementwise/kernel.h"
#include "gtest/gtest.h"
#include "spec/ir/opcode.h"

namespace hlocts::cpu {
namespace {

using Complex = std::complex<float>;

// Returns ordinary numbers, then all pairs of `parts`. Some vectors thus contain ordinary numbers
// only, some special numbers only, and some both.
std::vector<Complex> ComplexNumbers() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float parts[] = {0,     -0.0f,    1,       -2.5f,     0x1p-149f,  1e-30f,        -3e-20f,
                         1e19f, -0x1p60f, 3.4e38f, kInfinity, -kInfinity, std::nanf(""), 0.7f,
                         88,    1e-8f};
  std::vector<Complex> numbers;
  for (int i = 0; i < 37; ++i) numbers.push_back({0.1f * i, 3 - 0.2f * i});
  for (float a : parts) {
    for (float b : parts) numbers.push_back({a, b});
  }
  return numbers;
}

template <typename R>
std::vector<R> Results(Opcode opcode, bool strict, const std::vector<Complex>& x,
                       const std::vector<Complex>& y) {
  std::vector<R> results(x.size());
  const Kernel kernel = ArithmeticKernel(opcode, PrimitiveType::kC64, {.strict = strict});
  kernel(x.data(), y.data(), nullptr, results.data(), static_cast<int64_t>(x.size()));
  return results;
}

// Compares a part of a product. `size` is the sum of the magnitudes of its two terms.
bool NearPart(float x, float exact, float size) {
  if (std::isnan(exact) || std::isinf(exact)) return std::isnan(exact) ? std::isnan(x) : x == exact;
  return std::fabs(x - exact) <= 0x1.8p-23f * size + 0x1p-148f;
}

TEST(VectorComplexTest, ProductsAreNearThoseOfOneElementAtATime) {
  const std::vector<Complex> x = ComplexNumbers();
  for (size_t shift = 0; shift < x.size(); shift += 5) {
    std::vector<Complex> y(x.begin() + shift, x.end());
    y.insert(y.end(), x.begin(), x.begin() + shift);
    const auto fast = Results<Complex>(Opcode::kMultiply, false, x, y);
    const auto exact = Results<Complex>(Opcode::kMultiply, true, x, y);
    for (size_t i = 0; i < x.size(); ++i) {
      const float a = std::fabs(x[i].real()), b = std::fabs(x[i].imag());
      const float c = std::fabs(y[i].real()), d = std::fabs(y[i].imag());
      ASSERT_TRUE(NearPart(fast[i].real(), exact[i].real(), a * c + b * d) &&
                  NearPart(fast[i].imag(), exact[i].imag(), a * d + b * c))
          << x[i] << " " << y[i] << " " << fast[i] << " " << exact[i];
    }
  }
}

TEST(VectorComplexTest, MagnitudesAreWithinAnUlp) {
  const std::vector<Complex> x = ComplexNumbers();
  const auto fast = Results<float>(Opcode::kAbs, false, x, x);
  const auto exact = Results<float>(Opcode::kAbs, true, x, x);
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(exact[i])) {
      EXPECT_TRUE(std::isnan(fast[i])) << x[i];
    } else {
      EXPECT_LE(fast[i], std::nextafter(exact[i], INFINITY)) << x[i];
      EXPECT_GE(fast[i], std::nextafter(exact[i], 0.0f)) << x[i];
    }
  }
}

}  // namespace
}  // namespace hlocts::cpu
