// SPDX-License-Identifier: Apache-2.0
// Implements floating-point operations that IEEE 754 defines exactly, on f32 and f64. Narrower
// types run the f64 kernels on decoded operands and round again. For every precision p up to that
// of f32, 53 > 2p + 2: the two roundings of add, subtract, multiply, divide and sqrt equal one.
#include <cmath>
#include <limits>
#include <optional>

#include "reference/kernels/loop.h"
#include "reference/made.h"
#include "reference/ops/families.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

struct Add {
  template <typename T>
  static T Apply(T x, T y) {
    return Made(x + y);
  }
};
struct Subtract {
  template <typename T>
  static T Apply(T x, T y) {
    return Made(x - y);
  }
};
struct Multiply {
  template <typename T>
  static T Apply(T x, T y) {
    return Made(x * y);
  }
};
struct Divide {
  template <typename T>
  static T Apply(T x, T y) {
    return Made(x / y);
  }
};
// The result is exact and has the dividend's sign, even if it is zero (ruling 0001).
struct Remainder {
  template <typename T>
  static T Apply(T x, T y) {
    return Made(std::fmod(x, y));
  }
};
// A NaN in either operand yields NaN; of two zeros, the positive one is returned (ruling 0003).
struct Maximum {
  template <typename T>
  static T Apply(T x, T y) {
    T larger = x > y ? x : y;  // y if either is NaN
    if (x == y) larger = std::signbit(x) ? y : x;
    return x != x ? x : larger;
  }
};
// Returns the negative one of two zeros.
struct Minimum {
  template <typename T>
  static T Apply(T x, T y) {
    T smaller = x < y ? x : y;
    if (x == y) smaller = std::signbit(x) ? x : y;
    return x != x ? x : smaller;
  }
};
// These operations change only the sign bit: NaNs keep their other bits (ruling 0071).
struct Negate {
  template <typename T>
  static T Apply(T x) {
    return -x;
  }
};
struct Abs {
  template <typename T>
  static T Apply(T x) {
    return std::fabs(x);
  }
};
// Returns -0 and NaN unchanged (ruling 0002).
struct Sign {
  template <typename T>
  static T Apply(T x) {
    return x > 0 ? T{1} : x < 0 ? T{-1} : x;
  }
};
struct Floor {
  template <typename T>
  static T Apply(T x) {
    return std::floor(x);
  }
};
struct Ceil {
  template <typename T>
  static T Apply(T x) {
    return std::ceil(x);
  }
};
// Rounds to nearest, with ties away from zero or to even (ruling 0054).
struct RoundNearestAfz {
  template <typename T>
  static T Apply(T x) {
    return std::round(x);
  }
};
struct RoundNearestEven {
  template <typename T>
  static T Apply(T x) {
    return std::nearbyint(x);
  }
};
struct Sqrt {
  template <typename T>
  static T Apply(T x) {
    return Made(std::sqrt(x));
  }
};
struct IsFinite {
  template <typename T>
  static uint8_t Apply(T x) {
    return std::fabs(x) <= std::numeric_limits<T>::max();
  }
};
struct Real {
  template <typename T>
  static T Apply(T x) {
    return x;
  }
};
struct Imag {
  template <typename T>
  static T Apply(T) {
    return 0;
  }
};

#define HLOCTS_OF_TWO(Name)           \
  case ops::FloatArithmetic::k##Name: \
    return BinaryLoop<Name, T>;
#define HLOCTS_OF_ONE(Name)           \
  case ops::FloatArithmetic::k##Name: \
    return UnaryLoop<Name, T>;
template <typename T>
Kernel OfType(ops::FloatArithmetic operation) {
  switch (operation) {
    HLOCTS_OF_TWO(Add)
    HLOCTS_OF_TWO(Subtract)
    HLOCTS_OF_TWO(Multiply)
    HLOCTS_OF_TWO(Divide)
    HLOCTS_OF_TWO(Remainder)
    HLOCTS_OF_TWO(Maximum)
    HLOCTS_OF_TWO(Minimum)
    HLOCTS_OF_ONE(Negate)
    HLOCTS_OF_ONE(Abs)
    HLOCTS_OF_ONE(Sign)
    HLOCTS_OF_ONE(Floor)
    HLOCTS_OF_ONE(Ceil)
    HLOCTS_OF_ONE(RoundNearestAfz)
    HLOCTS_OF_ONE(RoundNearestEven)
    HLOCTS_OF_ONE(Sqrt)
    HLOCTS_OF_ONE(Real)
    HLOCTS_OF_ONE(Imag)
    case ops::FloatArithmetic::kIsFinite:
      return UnaryLoop<IsFinite, T, uint8_t>;
  }
  HLOCTS_UNREACHABLE();
}
#undef HLOCTS_OF_TWO
#undef HLOCTS_OF_ONE

}  // namespace

Kernel FloatArithmeticKernel(Opcode opcode, PrimitiveType type) {
  const std::optional<ops::FloatArithmetic> operation = ops::FloatArithmeticOf(opcode);
  if (!operation.has_value()) return nullptr;
  if (type == PrimitiveType::kF32) return OfType<float>(*operation);
  if (type == PrimitiveType::kF64) return OfType<double>(*operation);
  return nullptr;
}

}  // namespace hlocts::reference
