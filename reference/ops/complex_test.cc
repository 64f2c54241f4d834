// SPDX-License-Identifier: Apache-2.0
// Tests complex operations: identities, branch cuts and special values.
#include <cmath>
#include <complex>
#include <limits>

#include "gtest/gtest.h"
#include "reference/testing/module_runner.h"

namespace hlocts::reference {
namespace {

using Z = std::complex<double>;

Literal Points() {
  std::vector<Z> points;
  for (double re : {-2.5, -1.0, -0.3, 0.0, 0.4, 1.0, 3.0}) {
    for (double im : {-2.0, -0.7, 0.0, 0.6, 1.9}) points.push_back({re, im});
  }
  Literal literal(Shape(PrimitiveType::kC128, {static_cast<int64_t>(points.size())}));
  std::copy(points.begin(), points.end(), literal.mutable_data<Z>().begin());
  return literal;
}

Literal Function(const char* opcode, const Literal& x) {
  return Apply(x.shape().ToString(false), opcode, {x});
}

void ExpectNear(const Literal& got, const Literal& want, const std::string& what) {
  for (int64_t i = 0; i < got.element_count(); ++i) {
    Z a = got.data<Z>()[i], b = want.data<Z>()[i];
    if (!std::isfinite(b.real()) || !std::isfinite(b.imag())) continue;
    EXPECT_LE(std::abs(a - b), 1e-14 * std::max(1.0, std::abs(b)))
        << what << " at " << i << ": " << a << ", not " << b;
  }
}

TEST(ComplexTest, InversesAndDefinitions) {
  Literal x = Points();
  ExpectNear(Function("exponential", Function("log", x)), x, "exp(log z)");
  Literal root = Function("sqrt", x);
  ExpectNear(Apply(x.shape().ToString(false), "multiply", {root, root}), x, "sqrt(z)^2");
  ExpectNear(Function("sine", Function("asin", x)), x, "sin(asin z)");
  ExpectNear(Function("cosine", Function("acos", x)), x, "cos(acos z)");
  ExpectNear(Function("sinh", Function("asinh", x)), x, "sinh(asinh z)");
  ExpectNear(Function("cosh", Function("acosh", x)), x, "cosh(acosh z)");
  ExpectNear(Function("tanh", Function("atanh", x)), x, "tanh(atanh z)");
  ExpectNear(Function("exponential-minus-one", Function("log-plus-one", x)), x, "expm1(log1p z)");
  root.mutable_data<Z>()[17] = 1;  // avoids 0/0 at the point 0
  ExpectNear(Apply(x.shape().ToString(false), "divide",
                   {Apply(x.shape().ToString(false), "multiply", {x, root}), root}),
             x, "z*w/w");
}

TEST(ComplexTest, SmallArgumentsKeepTheirAccuracy) {
  Literal x = MustLiteral("c128[2] {(1e-12, 1e-12), (-1e-13, 2e-12)}");
  ExpectNear(Function("log-plus-one", x),
             MustLiteral("c128[2] {(1e-12, 9.99999999999e-13), (-9.9999999998e-14, 2e-12)}"),
             "log1p");
  double re = Function("exponential-minus-one", x).data<Z>()[0].real();
  EXPECT_NEAR(re / 1e-12, 1, 1e-14);
}

template <typename T>
std::complex<T> Product(PrimitiveType type, std::complex<T> x, std::complex<T> y) {
  Literal a(Shape(type, {1})), b(Shape(type, {1}));
  a.mutable_data<std::complex<T>>()[0] = x;
  b.mutable_data<std::complex<T>>()[0] = y;
  const Literal product = Apply(a.shape().ToString(false), "multiply", {a, b});
  return product.data<std::complex<T>>()[0];
}

// The exact ac - bd differs from a midpoint by less than the last bit of f64 (and of x86's 80-bit
// type). Rounding to that type first would yield the midpoint, and the second rounding would then
// resolve the tie to the wrong neighbour.
TEST(ComplexTest, PartsOfProductsAreRoundedOnce) {
  const std::complex<float> x(std::ldexp(14074245.0f, -23), std::ldexp(2.0f, -28)),
      y(std::ldexp(9631161.0f, -23), std::ldexp(4471295.0f, -28));
  EXPECT_EQ(Product(PrimitiveType::kC64, x, y).real(), std::ldexp(16158977.0f, -23));
  const Z largest(-10, std::numeric_limits<double>::max());
  const Z product = Product(PrimitiveType::kC128, Z(-1, -0x0.000000000000fp-1022), largest);
  EXPECT_EQ(product.real(), 10 + 7 * 0x1p-49);  // exactly 10 + (7.5 - 7.5 * 2^-53) * 2^-49
  EXPECT_EQ(product.imag(), -std::numeric_limits<double>::max());
}

}  // namespace
}  // namespace hlocts::reference
