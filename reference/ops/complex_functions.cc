// SPDX-License-Identifier: Apache-2.0
// Implements complex functions: principal values with the branch cuts of C99 (ruling 0034),
// computed in a type wider than the parts and rounded once.
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <type_traits>

#include "reference/kernels/loop.h"
#include "reference/made.h"
#include "reference/ops/families.h"
#include "spec/ir/native.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

// Applies F in std::complex<Wide> to elements of std::complex<T>.
template <class F, typename T, typename Wide>
struct Through {
  using Element = std::complex<T>;
  static std::complex<Wide> Widen(Element x) { return {x.real(), x.imag()}; }
  static Element Round(std::complex<Wide> x) {
    return Made(Element(static_cast<T>(x.real()), static_cast<T>(x.imag())));
  }
  static Element Apply(Element x) { return Round(F::Apply(Widen(x))); }
  static Element Apply(Element x, Element y) { return Round(F::Apply(Widen(x), Widen(y))); }
};

#define HLOCTS_COMPLEX_FUNCTION(Name, c_function, ...) \
  struct Name {                                        \
    template <typename Z>                              \
    static Z Apply(const Z& x) {                       \
      return std::c_function(x);                       \
    }                                                  \
  };
#include "spec/ops/scalar_functions.def"

// Computes e^z - 1 with the real part e^x cos y - 1 = expm1(x) cos y - 2 sin^2(y/2), so that the
// modulus stays accurate near 0. The real part may cancel if e^x cos y is nearly 1.
struct ExponentialMinusOne {
  template <typename Z>
  static Z Apply(const Z& z) {
    auto x = z.real(), y = z.imag();
    if (!std::isfinite(x) || !std::isfinite(y)) return std::exp(z) - typename Z::value_type{1};
    auto half = std::sin(y / 2);
    // The imaginary part is zero on the real axis, even if e^x overflows.
    auto imaginary = y == 0 ? y : std::exp(x) * std::sin(y);
    return Z(std::expm1(x) * std::cos(y) - 2 * half * half, imaginary);
  }
};
// Computes log(1 + z) from |1 + z|^2 = 1 + x(2 + x) + y^2, with log1p if the terms after 1 are
// small. They may cancel if |1 + z| is nearly 1, but the modulus of the result stays accurate.
struct LogPlusOne {
  template <typename Z>
  static Z Apply(const Z& z) {
    using T = typename Z::value_type;
    T x = z.real(), y = z.imag();
    if (!(std::fabs(x) < 4 && std::fabs(y) < 4)) return std::log(Z(x + 1, y));
    T beside_one = x * (2 + x) + y * y;
    T size = beside_one > T{-0.5} ? std::log1p(beside_one) / 2 : std::log(std::hypot(1 + x, y));
    return Z(size, std::atan2(y, 1 + x));
  }
};
// Computes 1/(1 + e^-z) in the form whose exponential does not overflow.
struct Logistic {
  template <typename Z>
  static Z Apply(const Z& z) {
    Z one(1);
    if (z.real() >= 0) return one / (one + std::exp(-z));
    Z e = std::exp(z);
    return e / (one + e);
  }
};
struct Rsqrt {
  template <typename Z>
  static Z Apply(const Z& z) {
    using T = typename Z::value_type;
    if (z.real() == 0 && z.imag() == 0)
      return Z(std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN());
    if (std::isinf(z.real()) || std::isinf(z.imag())) {
      return std::isnan(z.real()) || std::isnan(z.imag()) ? Z(0, 0)
                                                          : Z(0, std::copysign(T{0}, -z.imag()));
    }
    return Z(1) / std::sqrt(z);
  }
};
// Defines 0^0 = 1 and 0^y = 0 if y has a positive real part; real powers of reals >= 0 are real.
struct Power {
  template <typename Z>
  static Z Apply(const Z& x, const Z& y) {
    using T = typename Z::value_type;
    if (y.real() == 0 && y.imag() == 0) return Z(1, 0);
    if (x.real() == 0 && x.imag() == 0) {
      return y.real() > 0
                 ? Z(0, 0)
                 : Z(std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::quiet_NaN());
    }
    if (y.imag() == 0 && x.imag() == 0 && x.real() > 0) return Z(std::pow(x.real(), y.real()), 0);
    if (y.real() == 1 && y.imag() == 0) return x;
    return std::exp(y * std::log(x));
  }
};
// Computes -i log((x + iy)/sqrt(x^2 + y^2)), which continues the real function of (y, x).
struct Atan2 {
  template <typename Z>
  static Z Apply(const Z& y, const Z& x) {
    Z i(0, 1);
    Z w = std::log((x + i * y) / std::sqrt(x * x + y * y));
    return Z(w.imag(), -w.real());
  }
};

template <class F, typename T, typename Wide>
Kernel LoopOf() {
  using Element = std::complex<T>;
  using Function = Through<F, T, Wide>;
  constexpr bool kBinary = std::is_same_v<F, Power> || std::is_same_v<F, Atan2>;
  if constexpr (kBinary) return BinaryLoop<Function, Element>;
  if constexpr (!kBinary) return UnaryLoop<Function, Element>;
}

template <typename T, typename Wide>
Kernel OfType(ops::ComplexFunction function) {
  switch (function) {
#define HLOCTS_COMPLEX_FUNCTION(Name, ...) \
  case ops::ComplexFunction::k##Name:      \
    return LoopOf<Name, T, Wide>();
#define HLOCTS_COMPLEX_FORMULA HLOCTS_COMPLEX_FUNCTION
#define HLOCTS_COMPLEX_BINARY HLOCTS_COMPLEX_FUNCTION
#include "spec/ops/scalar_functions.def"
  }
  HLOCTS_UNREACHABLE();
}

}  // namespace

Kernel ComplexFunctionKernel(Opcode opcode, PrimitiveType type) {
  const std::optional<ops::ComplexFunction> function = ops::ComplexFunctionOf(opcode);
  if (!function.has_value()) return nullptr;
  if (type == PrimitiveType::kC64) return OfType<float, double>(*function);
  if (type == PrimitiveType::kC128) return OfType<double, long double>(*function);
  return nullptr;
}

}  // namespace hlocts::reference
