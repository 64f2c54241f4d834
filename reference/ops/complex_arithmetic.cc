// SPDX-License-Identifier: Apache-2.0
// Implements arithmetic of c64 and c128. Parts of sums and products are rounded once from their
// exact values; parts of quotients and moduli are computed in a wider type. Infinities and NaNs
// follow the component formulas (ruling 0034), except for quotients by an infinite number.
#include <cfloat>
#include <cmath>
#include <complex>
#include <cstring>
#include <optional>

#include "reference/kernels/loop.h"
#include "reference/made.h"
#include "reference/ops/families.h"
#include "spec/ir/native.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

template <typename T>
struct WiderOf;
template <>
struct WiderOf<float> {
  using type = double;
};
template <>
struct WiderOf<double> {
  using type = long double;
};
template <typename T>
using Wider = typename WiderOf<T>::type;
template <typename T>
using Z = std::complex<T>;

// A type that represents the product of two numbers of T exactly, with any exponent, and has at
// least two bits more than T, as rounding to odd requires. `Bits` is an integer of its width.
#if LDBL_MANT_DIG >= 113
using Quad = long double;
#else
__extension__ using Quad = __float128;
#endif
template <typename T>
struct ExactOf;
template <>
struct ExactOf<float> {
  using type = double;
  using Bits = uint64_t;
};
template <>
struct ExactOf<double> {
  using type = Quad;
  __extension__ using Bits = unsigned __int128;
};
template <typename T>
using Exact = typename ExactOf<T>::type;

// Returns p + q rounded once. The wide sum is rounded to odd by its exact error (Knuth's TwoSum),
// so it is a midpoint of T only if the exact sum is one. Rounding it to nearest could yield a
// midpoint, which the second rounding would resolve as a tie.
template <typename T>
T SumOnce(Exact<T> p, Exact<T> q) {
  Exact<T> sum = p + q;
  const Exact<T> t = sum - p, lost = (p - (sum - t)) + (q - t);
  typename ExactOf<T>::Bits bits;
  static_assert(sizeof(bits) == sizeof(sum));
  std::memcpy(&bits, &sum, sizeof(bits));
  if ((lost > 0 || lost < 0) && (bits & 1) == 0) {
    bits += (lost > 0) == (sum > 0) ? 1 : -1;  // sign and magnitude: +1 moves away from zero
    std::memcpy(&sum, &bits, sizeof(bits));
  }
  return static_cast<T>(sum);
}

struct Add {
  template <typename T>
  static Z<T> Apply(Z<T> x, Z<T> y) {
    return Made(x + y);
  }
};
struct Subtract {
  template <typename T>
  static Z<T> Apply(Z<T> x, Z<T> y) {
    return Made(x - y);
  }
};
struct Multiply {
  template <typename T>
  static Z<T> Apply(Z<T> x, Z<T> y) {
    const Exact<T> a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
    return Made(Z<T>(SumOnce<T>(a * c, -(b * d)), SumOnce<T>(a * d, b * c)));
  }
};
// Computes (a + ib) / (c + id) with the divisor c*c + d*d, which cannot overflow or underflow in
// the wider type. If c and d are zero, each part is divided by a zero with the sign of c. A finite
// number divided by an infinite one without a NaN part is zero (Annex G), not the NaN of the
// formula.
struct Divide {
  template <typename T>
  static Z<T> Apply(Z<T> x, Z<T> y) {
    using W = Wider<T>;
    W a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
    if (c == 0 && d == 0) {
      W zero = std::copysign(W{0}, c);
      return Made(Z<T>(static_cast<T>(a / zero), static_cast<T>(b / zero)));
    }
    W norm = c * c + d * d;
    if (std::isinf(norm) && std::isfinite(a) && std::isfinite(b)) {
      c = std::copysign(W{std::isinf(c) ? 1.0 : 0.0}, c);
      d = std::copysign(W{std::isinf(d) ? 1.0 : 0.0}, d);
    }
    return Made(
        Z<T>(static_cast<T>((a * c + b * d) / norm), static_cast<T>((b * c - a * d) / norm)));
  }
};
struct Negate {
  template <typename T>
  static Z<T> Apply(Z<T> x) {
    return {-x.real(), -x.imag()};
  }
};
// Computes sqrt(re^2 + im^2) without intermediate overflow; infinite if either part is infinite.
struct Abs {
  template <typename T>
  static T Apply(Z<T> x) {
    return Made(static_cast<T>(
        std::hypot(static_cast<Wider<T>>(x.real()), static_cast<Wider<T>>(x.imag()))));
  }
};
// Computes z/|z|, and zero for zero (ruling 0002).
struct Sign {
  template <typename T>
  static Z<T> Apply(Z<T> x) {
    if (x.real() == 0 && x.imag() == 0) return x;
    Wider<T> re = x.real(), im = x.imag(), size = std::hypot(re, im);
    return Made(Z<T>(static_cast<T>(re / size), static_cast<T>(im / size)));
  }
};
// The documents define no order of complex numbers. If an engine supports their max and min,
// numbers are ordered by real part, then imaginary part, and a NaN in either operand is propagated.
template <typename T>
bool IsNan(Z<T> x) {
  return std::isnan(x.real()) || std::isnan(x.imag());
}
template <typename T>
bool Before(Z<T> x, Z<T> y) {
  return x.real() != y.real() ? x.real() < y.real() : x.imag() < y.imag();
}
struct Maximum {
  template <typename T>
  static Z<T> Apply(Z<T> x, Z<T> y) {
    return IsNan(x) || (!IsNan(y) && Before(y, x)) ? x : y;
  }
};
struct Minimum {
  template <typename T>
  static Z<T> Apply(Z<T> x, Z<T> y) {
    return IsNan(x) || (!IsNan(y) && Before(x, y)) ? x : y;
  }
};
// Copies the part without computing: NaN bits and signs of zero are kept (ruling 0058).
struct Real {
  template <typename T>
  static T Apply(Z<T> x) {
    return x.real();
  }
};
struct Imag {
  template <typename T>
  static T Apply(Z<T> x) {
    return x.imag();
  }
};

template <typename T>
Kernel OfType(ops::ComplexArithmetic operation) {
  switch (operation) {
    case ops::ComplexArithmetic::kAdd:
      return BinaryLoop<Add, Z<T>>;
    case ops::ComplexArithmetic::kSubtract:
      return BinaryLoop<Subtract, Z<T>>;
    case ops::ComplexArithmetic::kMultiply:
      return BinaryLoop<Multiply, Z<T>>;
    case ops::ComplexArithmetic::kDivide:
      return BinaryLoop<Divide, Z<T>>;
    case ops::ComplexArithmetic::kMaximum:
      return BinaryLoop<Maximum, Z<T>>;
    case ops::ComplexArithmetic::kMinimum:
      return BinaryLoop<Minimum, Z<T>>;
    case ops::ComplexArithmetic::kNegate:
      return UnaryLoop<Negate, Z<T>>;
    case ops::ComplexArithmetic::kAbs:
      return UnaryLoop<Abs, Z<T>, T>;
    case ops::ComplexArithmetic::kSign:
      return UnaryLoop<Sign, Z<T>>;
    case ops::ComplexArithmetic::kReal:
      return UnaryLoop<Real, Z<T>, T>;
    case ops::ComplexArithmetic::kImag:
      return UnaryLoop<Imag, Z<T>, T>;
  }
  HLOCTS_UNREACHABLE();
}

struct MakeComplex {
  template <typename T>
  static Z<T> Apply(T re, T im) {
    return {re, im};
  }
};

}  // namespace

Kernel ComplexKernel(Opcode opcode, PrimitiveType type) {
  if (opcode == Opcode::kComplex) {
    if (type == PrimitiveType::kF32) return BinaryLoop<MakeComplex, float, Complex64>;
    if (type == PrimitiveType::kF64) return BinaryLoop<MakeComplex, double, Complex128>;
    return nullptr;
  }
  const std::optional<ops::ComplexArithmetic> operation = ops::ComplexArithmeticOf(opcode);
  if (!operation.has_value()) return nullptr;
  if (type == PrimitiveType::kC64) return OfType<float>(*operation);
  if (type == PrimitiveType::kC128) return OfType<double>(*operation);
  return nullptr;
}

}  // namespace hlocts::reference
