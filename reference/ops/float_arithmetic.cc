// SPDX-License-Identifier: Apache-2.0
// Floating-point operations that IEEE 754 defines to the bit, on f32 and f64. Narrower types run
// the f64 kernels on decoded operands and round once: 53 bits are more than 2p + 2 of every type up
// to f32, so that the two roundings of add, subtract, multiply, divide and sqrt are one.
#include <cmath>
#include <cstring>
#include <limits>

#include "reference/kernels/loop.h"
#include "reference/ops/families.h"

namespace hlocts::reference {
namespace {

struct Add {
  template <typename T>
  static T Apply(T x, T y) {
    return x + y;
  }
};
struct Subtract {
  template <typename T>
  static T Apply(T x, T y) {
    return x - y;
  }
};
struct Multiply {
  template <typename T>
  static T Apply(T x, T y) {
    return x * y;
  }
};
struct Divide {
  template <typename T>
  static T Apply(T x, T y) {
    return x / y;
  }
};
// Exact; sign of the dividend, also of a zero result (ruling 0001).
struct Remainder {
  template <typename T>
  static T Apply(T x, T y) {
    return std::fmod(x, y);
  }
};
// NaN in either operand gives NaN; of two zeros the positive one (ruling 0003).
struct Maximum {
  template <typename T>
  static T Apply(T x, T y) {
    T larger = x > y ? x : y;  // y when either is NaN
    if (x == y) larger = std::signbit(x) ? y : x;
    return x != x ? x : larger;
  }
};
// Of two zeros the negative one.
struct Minimum {
  template <typename T>
  static T Apply(T x, T y) {
    T smaller = x < y ? x : y;
    if (x == y) smaller = std::signbit(x) ? x : y;
    return x != x ? x : smaller;
  }
};
// Sign-bit operations: NaNs keep their bits (ruling 0071).
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
// -0 and NaN are their own sign (ruling 0002).
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
// Ties away from zero; ties to even (ruling 0054).
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
    return std::sqrt(x);
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

template <typename T>
Kernel OfType(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return BinaryLoop<Add, T>;
    case Opcode::kSubtract:
      return BinaryLoop<Subtract, T>;
    case Opcode::kMultiply:
      return BinaryLoop<Multiply, T>;
    case Opcode::kDivide:
      return BinaryLoop<Divide, T>;
    case Opcode::kRemainder:
      return BinaryLoop<Remainder, T>;
    case Opcode::kMaximum:
      return BinaryLoop<Maximum, T>;
    case Opcode::kMinimum:
      return BinaryLoop<Minimum, T>;
    case Opcode::kNegate:
      return UnaryLoop<Negate, T>;
    case Opcode::kAbs:
      return UnaryLoop<Abs, T>;
    case Opcode::kSign:
      return UnaryLoop<Sign, T>;
    case Opcode::kFloor:
      return UnaryLoop<Floor, T>;
    case Opcode::kCeil:
      return UnaryLoop<Ceil, T>;
    case Opcode::kRoundNearestAfz:
      return UnaryLoop<RoundNearestAfz, T>;
    case Opcode::kRoundNearestEven:
      return UnaryLoop<RoundNearestEven, T>;
    case Opcode::kSqrt:
      return UnaryLoop<Sqrt, T>;
    case Opcode::kIsFinite:
      return UnaryLoop<IsFinite, T, uint8_t>;
    case Opcode::kReal:
      return UnaryLoop<Real, T>;
    case Opcode::kImag:
      return UnaryLoop<Imag, T>;
    default:
      return nullptr;
  }
}

}  // namespace

Kernel FloatArithmeticKernel(Opcode opcode, PrimitiveType type) {
  if (type == PrimitiveType::kF32) return OfType<float>(opcode);
  if (type == PrimitiveType::kF64) return OfType<double>(opcode);
  return nullptr;
}

}  // namespace hlocts::reference
