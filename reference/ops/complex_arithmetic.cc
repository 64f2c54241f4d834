// Arithmetic of c64 and c128. Parts are computed in a wider type and rounded once each; infinities
// and NaNs come out as the component formulas have them (ruling 0034).
#include <cmath>
#include <complex>

#include "reference/kernels/loop.h"
#include "reference/ops/families.h"
#include "spec/ir/native.h"

namespace hlocts {
namespace {

template <typename T>
struct WiderOf;
template <>
struct WiderOf<float> { using type = double; };
template <>
struct WiderOf<double> { using type = long double; };
template <typename T>
using Wider = typename WiderOf<T>::type;
template <typename T>
using Z = std::complex<T>;

struct Add {
  template <typename T>
  static Z<T> Apply(Z<T> x, Z<T> y) { return {x.real() + y.real(), x.imag() + y.imag()}; }
};
struct Subtract {
  template <typename T>
  static Z<T> Apply(Z<T> x, Z<T> y) { return {x.real() - y.real(), x.imag() - y.imag()}; }
};
struct Multiply {
  template <typename T>
  static Z<T> Apply(Z<T> x, Z<T> y) {
    Wider<T> a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
    return {static_cast<T>(a * c - b * d), static_cast<T>(a * d + b * c)};
  }
};
// (ac + bd)/(cc + dd) cannot overflow or underflow in the wider type. By zero: as the parts divided
// by a zero; by an infinity: zero (Annex G), where the formula alone has NaN.
struct Divide {
  template <typename T>
  static Z<T> Apply(Z<T> x, Z<T> y) {
    Wider<T> a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
    if (c == 0 && d == 0) {
      Wider<T> zero = std::copysign(Wider<T>{0}, c);
      return {static_cast<T>(a / zero), static_cast<T>(b / zero)};
    }
    if (std::isinf(c) || std::isinf(d)) {
      if (!std::isfinite(a) || !std::isfinite(b)) {
        c = std::copysign(std::isinf(c) ? Wider<T>{1} : Wider<T>{0}, c);
        d = std::copysign(std::isinf(d) ? Wider<T>{1} : Wider<T>{0}, d);
        if (std::isinf(x.real()) || std::isinf(x.imag())) return {NAN, NAN};
        return {static_cast<T>((a * c + b * d)), static_cast<T>((b * c - a * d))};
      }
      c = std::copysign(std::isinf(c) ? Wider<T>{1} : Wider<T>{0}, c);
      d = std::copysign(std::isinf(d) ? Wider<T>{1} : Wider<T>{0}, d);
      return {static_cast<T>(0 * (a * c + b * d)), static_cast<T>(0 * (b * c - a * d))};
    }
    Wider<T> norm = c * c + d * d;
    return {static_cast<T>((a * c + b * d) / norm), static_cast<T>((b * c - a * d) / norm)};
  }
};
struct Negate {
  template <typename T>
  static Z<T> Apply(Z<T> x) { return {-x.real(), -x.imag()}; }
};
// sqrt(re^2 + im^2) without overflow on the way; infinite if either part is.
struct Abs {
  template <typename T>
  static T Apply(Z<T> x) {
    return static_cast<T>(std::hypot(static_cast<Wider<T>>(x.real()), static_cast<Wider<T>>(x.imag())));
  }
};
// z/|z|, zero for zero (ruling 0002).
struct Sign {
  template <typename T>
  static Z<T> Apply(Z<T> x) {
    if (x.real() == 0 && x.imag() == 0) return x;
    Wider<T> re = x.real(), im = x.imag(), size = std::hypot(re, im);
    return {static_cast<T>(re / size), static_cast<T>(im / size)};
  }
};
// Moved, never computed: NaN bits and signs of zero stay (ruling 0058).
struct Real {
  template <typename T>
  static T Apply(Z<T> x) { return x.real(); }
};
struct Imag {
  template <typename T>
  static T Apply(Z<T> x) { return x.imag(); }
};

template <typename T>
Kernel OfType(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd: return BinaryLoop<Add, Z<T>>;
    case Opcode::kSubtract: return BinaryLoop<Subtract, Z<T>>;
    case Opcode::kMultiply: return BinaryLoop<Multiply, Z<T>>;
    case Opcode::kDivide: return BinaryLoop<Divide, Z<T>>;
    case Opcode::kNegate: return UnaryLoop<Negate, Z<T>>;
    case Opcode::kAbs: return UnaryLoop<Abs, Z<T>, T>;
    case Opcode::kSign: return UnaryLoop<Sign, Z<T>>;
    case Opcode::kReal: return UnaryLoop<Real, Z<T>, T>;
    case Opcode::kImag: return UnaryLoop<Imag, Z<T>, T>;
    default: return nullptr;
  }
}

struct MakeComplex {
  template <typename T>
  static Z<T> Apply(T re, T im) { return {re, im}; }
};

}  // namespace

Kernel ComplexKernel(Opcode opcode, PrimitiveType type) {
  if (opcode == Opcode::kComplex) {
    if (type == PrimitiveType::kF32) return BinaryLoop<MakeComplex, float, Complex64>;
    if (type == PrimitiveType::kF64) return BinaryLoop<MakeComplex, double, Complex128>;
    return nullptr;
  }
  if (type == PrimitiveType::kC64) return OfType<float>(opcode);
  if (type == PrimitiveType::kC128) return OfType<double>(opcode);
  return nullptr;
}

}  // namespace hlocts
