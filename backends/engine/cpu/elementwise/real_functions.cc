// SPDX-License-Identifier: Apache-2.0
// Functions of real numbers through the C library: f32 in double and rounded once, f64 in double,
// or in long double where the strict profile wants it.
#include <cmath>

#include "backends/engine/cpu/elementwise/families.h"
#include "backends/engine/cpu/elementwise/loop.h"

namespace hlocts::cpu {
namespace {

#define HLOCTS_FUNCTION1(Name, expression) \
  struct Name {                            \
    template <typename W>                  \
    static W Of(W x) {                     \
      return expression;                   \
    }                                      \
  };
#define HLOCTS_FUNCTION2(Name, expression) \
  struct Name {                            \
    template <typename W>                  \
    static W Of(W x, W y) {                \
      return expression;                   \
    }                                      \
  };
HLOCTS_FUNCTION1(Acos, std::acos(x))
HLOCTS_FUNCTION1(Acosh, std::acosh(x))
HLOCTS_FUNCTION1(Asin, std::asin(x))
HLOCTS_FUNCTION1(Asinh, std::asinh(x))
HLOCTS_FUNCTION1(Atanh, std::atanh(x))
HLOCTS_FUNCTION1(Cbrt, std::cbrt(x))
HLOCTS_FUNCTION1(Cosine, std::cos(x))
HLOCTS_FUNCTION1(Cosh, std::cosh(x))
HLOCTS_FUNCTION1(Erf, std::erf(x))
HLOCTS_FUNCTION1(Exponential, std::exp(x))
HLOCTS_FUNCTION1(ExponentialMinusOne, std::expm1(x))
HLOCTS_FUNCTION1(Log, std::log(x))
HLOCTS_FUNCTION1(LogPlusOne, std::log1p(x))
HLOCTS_FUNCTION1(Sine, std::sin(x))
HLOCTS_FUNCTION1(Sinh, std::sinh(x))
HLOCTS_FUNCTION1(Tan, std::tan(x))
HLOCTS_FUNCTION1(Tanh, std::tanh(x))
HLOCTS_FUNCTION1(Rsqrt, 1 / std::sqrt(x))
HLOCTS_FUNCTION2(Atan2, std::atan2(x, y))
HLOCTS_FUNCTION2(Power, std::pow(x, y))
HLOCTS_FUNCTION2(Remainder, std::fmod(x, y))
// From the side where the exponential is at most 1.
struct Logistic {
  template <typename W>
  static W Of(W x) {
    const W e = std::exp(x > 0 ? -x : x);
    return (x > 0 ? W(1) : e) / (1 + e);
  }
};

// F in W, rounded to T.
template <class F, typename T, typename W>
struct In {
  static T Apply(T x) { return static_cast<T>(F::template Of<W>(x)); }
  static T Apply(T x, T y) { return static_cast<T>(F::template Of<W>(x, y)); }
};

template <typename T, typename W>
KernelFunction Of(Opcode opcode) {
  switch (opcode) {
#define HLOCTS_CASE(Name) \
  case Opcode::k##Name:   \
    return Unary<In<Name, T, W>, T>;
    HLOCTS_CASE(Acos)
    HLOCTS_CASE(Acosh)
    HLOCTS_CASE(Asin)
    HLOCTS_CASE(Asinh)
    HLOCTS_CASE(Atanh)
    HLOCTS_CASE(Cbrt)
    HLOCTS_CASE(Cosine)
    HLOCTS_CASE(Cosh)
    HLOCTS_CASE(Erf)
    HLOCTS_CASE(Exponential)
    HLOCTS_CASE(ExponentialMinusOne)
    HLOCTS_CASE(Log)
    HLOCTS_CASE(LogPlusOne)
    HLOCTS_CASE(Logistic)
    HLOCTS_CASE(Rsqrt)
    HLOCTS_CASE(Sine)
    HLOCTS_CASE(Sinh)
    HLOCTS_CASE(Tan)
    HLOCTS_CASE(Tanh)
#undef HLOCTS_CASE
    case Opcode::kAtan2:
      return Binary<In<Atan2, T, W>, T>;
    case Opcode::kPower:
      return Binary<In<Power, T, W>, T>;
    case Opcode::kRemainder:
      return Binary<In<Remainder, T, T>, T>;
    default:
      return nullptr;
  }
}

}  // namespace

KernelFunction RealFunctionKernel(Opcode opcode, PrimitiveType type, bool strict) {
  if (type == PrimitiveType::kF32) return Of<float, double>(opcode);
  if (type != PrimitiveType::kF64) return nullptr;
  return strict ? Of<double, long double>(opcode) : Of<double, double>(opcode);
}

}  // namespace hlocts::cpu
