// SPDX-License-Identifier: Apache-2.0
// Complex arithmetic and functions. They are computed in the next wider type, in which sums of
// squares neither overflow nor lose bits that affect the rounded result.
#include <cmath>
#include <complex>
#include <limits>

#include "backends/engine/cpu/elementwise/families.h"
#include "backends/engine/cpu/elementwise/loop.h"
#include "spec/ops/kinds.h"

namespace hlocts::cpu {
namespace {

template <typename W>
using Z = std::complex<W>;

// Computes (ac - bd) + i(ad + bc) even if it is NaN, where C++'s operator may return infinity.
struct Multiply {
  template <typename W>
  static Z<W> Of(Z<W> x, Z<W> y) {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  }
};
// Divides. If the divisor is zero, divides each part by a zero with the sign of the divisor's real
// part. A finite number divided by infinity is zero.
struct Divide {
  template <typename W>
  static Z<W> Of(Z<W> x, Z<W> y) {
    W c = y.real(), d = y.imag();
    if (c == 0 && d == 0) {
      const W zero = std::copysign(W(0), c);
      return {x.real() / zero, x.imag() / zero};
    }
    const W norm = c * c + d * d;
    if (std::isinf(norm) && std::isfinite(x.real()) && std::isfinite(x.imag())) {
      c = std::copysign(std::isinf(c) ? W(1) : W(0), c);
      d = std::copysign(std::isinf(d) ? W(1) : W(0), d);
    }
    return {(x.real() * c + x.imag() * d) / norm, (x.imag() * c - x.real() * d) / norm};
  }
};
template <typename W>
bool IsNan(Z<W> x) {
  return std::isnan(x.real()) || std::isnan(x.imag());
}
template <typename W>
bool Before(Z<W> x, Z<W> y) {
  return x.real() != y.real() ? x.real() < y.real() : x.imag() < y.imag();
}
struct Maximum {
  template <typename W>
  static Z<W> Of(Z<W> x, Z<W> y) {
    return IsNan(x) || (!IsNan(y) && Before(y, x)) ? x : y;
  }
};
struct Minimum {
  template <typename W>
  static Z<W> Of(Z<W> x, Z<W> y) {
    return IsNan(x) || (!IsNan(y) && Before(x, y)) ? x : y;
  }
};
struct Sign {
  template <typename W>
  static Z<W> Of(Z<W> x) {
    if (x.real() == 0 && x.imag() == 0) return x;
    const W size = std::hypot(x.real(), x.imag());
    return {x.real() / size, x.imag() / size};
  }
};
#define HLOCTS_COMPLEX_FUNCTION(Name, c_function, ...) \
  struct Name {                                        \
    template <typename W>                              \
    static Z<W> Of(Z<W> x) {                           \
      return std::c_function(x);                       \
    }                                                  \
  };
#include "spec/ops/scalar_functions.def"
// For z = a + ib, the real part is expm1(a) cos b - 2 sin^2(b/2): no cancellation near zero.
struct ExponentialMinusOne {
  template <typename W>
  static Z<W> Of(Z<W> x) {
    if (!std::isfinite(x.real()) || !std::isfinite(x.imag())) return std::exp(x) - Z<W>(1);
    const W half = std::sin(x.imag() / 2);
    return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half,
            std::exp(x.real()) * std::sin(x.imag())};
  }
};
// For z = a + ib, the real part is log1p(|1+z|^2 - 1) / 2, and |1+z|^2 - 1 = a(2+a) + b^2.
struct LogPlusOne {
  template <typename W>
  static Z<W> Of(Z<W> x) {
    const W a = x.real(), b = x.imag();
    if (!(std::fabs(a) < 4) || !(std::fabs(b) < 4)) return std::log(Z<W>(a + 1, b));
    const W more = a * (2 + a) + b * b;
    const W size = more > W(-0.5) ? std::log1p(more) / 2 : std::log(std::hypot(1 + a, b));
    return {size, std::atan2(b, 1 + a)};
  }
};
struct Logistic {
  template <typename W>
  static Z<W> Of(Z<W> x) {
    const Z<W> e = std::exp(x.real() >= 0 ? -x : x);
    return (x.real() >= 0 ? Z<W>(1) : e) / (Z<W>(1) + e);
  }
};
struct Rsqrt {
  template <typename W>
  static Z<W> Of(Z<W> x) {
    const W a = x.real(), b = x.imag();
    constexpr W kNan = std::numeric_limits<W>::quiet_NaN();
    if (a == 0 && b == 0) return {std::numeric_limits<W>::infinity(), kNan};
    if (std::isinf(a) || std::isinf(b)) {
      return {0, std::isnan(a) || std::isnan(b) ? W(0) : std::copysign(W(0), -b)};
    }
    return Z<W>(1) / std::sqrt(x);
  }
};
struct Power {
  template <typename W>
  static Z<W> Of(Z<W> x, Z<W> y) {
    constexpr W kNan = std::numeric_limits<W>::quiet_NaN();
    if (y.real() == 0 && y.imag() == 0) return 1;
    if (x.real() == 0 && x.imag() == 0) return y.real() > 0 ? Z<W>(0) : Z<W>(kNan, kNan);
    if (x.imag() == 0 && y.imag() == 0 && x.real() > 0) return std::pow(x.real(), y.real());
    if (y.real() == 1 && y.imag() == 0) return x;
    return std::exp(y * std::log(x));
  }
};
// Computes -i log((x + iy) / sqrt(x^2 + y^2)). y is the first operand.
struct Atan2 {
  template <typename W>
  static Z<W> Of(Z<W> y, Z<W> x) {
    const Z<W> w = std::log((x + Z<W>(0, 1) * y) / std::sqrt(x * x + y * y));
    return {w.imag(), -w.real()};
  }
};

template <class F, typename T, typename W>
struct In {
  static Z<T> Round(Z<W> x) { return {static_cast<T>(x.real()), static_cast<T>(x.imag())}; }
  static Z<W> Widen(Z<T> x) { return {x.real(), x.imag()}; }
  static Z<T> Apply(Z<T> x) { return Round(F::Of(Widen(x))); }
  static Z<T> Apply(Z<T> x, Z<T> y) { return Round(F::Of(Widen(x), Widen(y))); }
};

// Copies parts without arithmetic, so that signs of zeros and bits of NaNs are kept.
template <typename T, typename W>
struct Parts {
  struct Real {
    static T Apply(Z<T> x) { return x.real(); }
  };
  struct Imag {
    static T Apply(Z<T> x) { return x.imag(); }
  };
  struct Abs {
    static T Apply(Z<T> x) {
      const W a = x.real(), b = x.imag();
      if constexpr (!std::is_same_v<T, float>) return static_cast<T>(std::hypot(a, b));
      // The square of an f32 neither overflows nor underflows in double. If one part is infinite,
      // the result is infinite even if the other part is NaN.
      const W size = std::sqrt(a * a + b * b), infinity = std::numeric_limits<W>::infinity();
      return static_cast<T>(std::fabs(a) == infinity || std::fabs(b) == infinity ? infinity : size);
    }
  };
  struct Make {
    static Z<T> Apply(T x, T y) { return {x, y}; }
  };
};

template <class F, typename T, typename W>
KernelFunction LoopOf() {
  constexpr bool kBinary = std::is_same_v<F, Power> || std::is_same_v<F, Atan2>;
  if constexpr (kBinary) return Binary<In<F, T, W>, Z<T>>;
  if constexpr (!kBinary) return Unary<In<F, T, W>, Z<T>>;
}

template <typename T, typename W>
KernelFunction OfFunction(ops::ComplexFunction function) {
  switch (function) {
#define HLOCTS_COMPLEX_FUNCTION(Name, ...) \
  case ops::ComplexFunction::k##Name:      \
    return LoopOf<Name, T, W>();
#define HLOCTS_COMPLEX_FORMULA HLOCTS_COMPLEX_FUNCTION
#define HLOCTS_COMPLEX_BINARY HLOCTS_COMPLEX_FUNCTION
#include "spec/ops/scalar_functions.def"
  }
  HLOCTS_UNREACHABLE();
}

template <typename T, typename W>
KernelFunction OfArithmetic(ops::ComplexArithmetic operation) {
  // Computes f64 products in f64: in long double they would be rounded twice.
  using A = std::conditional_t<std::is_same_v<W, long double>, T, W>;
  switch (operation) {
    case ops::ComplexArithmetic::kMultiply:
      return Binary<In<Multiply, T, A>, Z<T>>;
    case ops::ComplexArithmetic::kDivide:
      return Binary<In<Divide, T, W>, Z<T>>;
    case ops::ComplexArithmetic::kMaximum:
      return Binary<In<Maximum, T, W>, Z<T>>;
    case ops::ComplexArithmetic::kMinimum:
      return Binary<In<Minimum, T, W>, Z<T>>;
    case ops::ComplexArithmetic::kSign:
      return Unary<In<Sign, T, W>, Z<T>>;
    case ops::ComplexArithmetic::kReal:
      return Unary<typename Parts<T, W>::Real, Z<T>, T>;
    case ops::ComplexArithmetic::kImag:
      return Unary<typename Parts<T, W>::Imag, Z<T>, T>;
    case ops::ComplexArithmetic::kAbs:
      return Unary<typename Parts<T, W>::Abs, Z<T>, T>;
    // These operate on the parts as real numbers (OnParts), so there is no complex kernel.
    case ops::ComplexArithmetic::kAdd:
    case ops::ComplexArithmetic::kSubtract:
    case ops::ComplexArithmetic::kNegate:
      return nullptr;
  }
  HLOCTS_UNREACHABLE();
}

template <typename T, typename W>
KernelFunction Of(Opcode opcode) {
  if (const std::optional<ops::ComplexFunction> function = ops::ComplexFunctionOf(opcode))
    return OfFunction<T, W>(*function);
  const std::optional<ops::ComplexArithmetic> operation = ops::ComplexArithmeticOf(opcode);
  return operation.has_value() ? OfArithmetic<T, W>(*operation) : nullptr;
}

}  // namespace

KernelFunction ComplexKernel(Opcode opcode, PrimitiveType type) {
  if (opcode == Opcode::kComplex) {
    if (type == PrimitiveType::kF32) return Binary<Parts<float, double>::Make, float, Z<float>>;
    if (type == PrimitiveType::kF64) {
      return Binary<Parts<double, long double>::Make, double, Z<double>>;
    }
    return nullptr;
  }
  if (type == PrimitiveType::kC64) return Of<float, double>(opcode);
  if (type == PrimitiveType::kC128) return Of<double, long double>(opcode);
  return nullptr;
}

}  // namespace hlocts::cpu
