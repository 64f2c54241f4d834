// SPDX-License-Identifier: Apache-2.0
// Functions of real numbers by the C library. f32 is computed in double and rounded once. f64 is
// computed in double, or in long double in the strict profile.
#include <cmath>
#include <optional>

#include "backends/engine/cpu/elementwise/families.h"
#include "backends/engine/cpu/elementwise/loop.h"
#include "spec/ops/kinds.h"

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
#define HLOCTS_REAL_FUNCTION(Name, c_function, ...) HLOCTS_FUNCTION1(Name, std::c_function(x))
#define HLOCTS_BINARY_FUNCTION(Name, c_function, ...) HLOCTS_FUNCTION2(Name, std::c_function(x, y))
#include "spec/ops/scalar_functions.def"
HLOCTS_FUNCTION1(Rsqrt, 1 / std::sqrt(x))
HLOCTS_FUNCTION2(Remainder, std::fmod(x, y))
// Computes exp(-|x|), which cannot overflow.
struct Logistic {
  template <typename W>
  static W Of(W x) {
    const W e = std::exp(x > 0 ? -x : x);
    return (x > 0 ? W(1) : e) / (1 + e);
  }
};

// Computes F in type W, and rounds the result to T.
template <class F, typename T, typename W>
struct In {
  static T Apply(T x) { return static_cast<T>(F::template Of<W>(x)); }
  static T Apply(T x, T y) { return static_cast<T>(F::template Of<W>(x, y)); }
};

template <typename T, typename W>
KernelFunction Of(Opcode opcode) {
  if (opcode == Opcode::kRemainder) return Binary<In<Remainder, T, T>, T>;
  const std::optional<ops::RealFunction> function = ops::RealFunctionOf(opcode);
  if (!function.has_value()) return nullptr;
  switch (*function) {
#define HLOCTS_REAL_FUNCTION(Name, ...) \
  case ops::RealFunction::k##Name:      \
    return Unary<In<Name, T, W>, T>;
#define HLOCTS_REAL_FORMULA HLOCTS_REAL_FUNCTION
#define HLOCTS_BINARY_FUNCTION(Name, ...) \
  case ops::RealFunction::k##Name:        \
    return Binary<In<Name, T, W>, T>;
#include "spec/ops/scalar_functions.def"
  }
  HLOCTS_UNREACHABLE();
}

}  // namespace

KernelFunction RealFunctionKernel(Opcode opcode, PrimitiveType type, bool strict) {
  if (type == PrimitiveType::kF32) return Of<float, double>(opcode);
  if (type != PrimitiveType::kF64) return nullptr;
  return strict ? Of<double, long double>(opcode) : Of<double, double>(opcode);
}

}  // namespace hlocts::cpu
