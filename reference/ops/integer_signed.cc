// SPDX-License-Identifier: Apache-2.0
// Implements integer operations that depend on the signedness, with one kernel per type.
#include <limits>
#include <optional>
#include <type_traits>

#include "reference/kernels/loop.h"
#include "reference/ops/families.h"
#include "spec/ir/number_type.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

struct Maximum {
  template <typename T>
  static T Apply(T x, T y) {
    return x > y ? x : y;
  }
};
struct Minimum {
  template <typename T>
  static T Apply(T x, T y) {
    return x < y ? x : y;
  }
};
template <typename T>
bool Overflows(T x, T y) {
  return std::is_signed_v<T> && x == std::numeric_limits<T>::min() && y == static_cast<T>(-1);
}
// Truncates towards zero. Division by zero sets all bits; INT_MIN / -1 wraps to INT_MIN. Ruling
// 0006 allows any value; XLA returns these values.
struct Divide {
  template <typename T>
  static T Apply(T x, T y) {
    if (y == 0) return static_cast<T>(-1);
    if (Overflows(x, y)) return x;
    return static_cast<T>(x / y);
  }
};
// The result has the dividend's sign (ruling 0001). x rem 0 is x, INT_MIN rem -1 is 0 (0006).
struct Remainder {
  template <typename T>
  static T Apply(T x, T y) {
    if (y == 0) return x;
    if (Overflows(x, y)) return 0;
    return static_cast<T>(x % y);
  }
};
// Computes the exact power modulo 2^width, with 0^0 = 1. A negative exponent truncates the quotient
// 1/base^|exponent|; 0 to a negative power is like a division by zero (ruling 0018).
struct Power {
  template <typename T>
  static T Apply(T base, T exponent) {
    if (std::is_signed_v<T> && exponent < 0) {
      if (base == 0) return static_cast<T>(-1);
      if (base == 1) return 1;
      if (base == static_cast<T>(-1)) return exponent % 2 == 0 ? 1 : static_cast<T>(-1);
      return 0;
    }
    uint64_t power = 1, square = static_cast<uint64_t>(base);
    for (uint64_t left = static_cast<uint64_t>(exponent); left != 0; left >>= 1) {
      if (left & 1) power *= square;
      square *= square;
    }
    return static_cast<T>(power);
  }
};
// elementwise_binary.14: fills with copies of the sign; an amount of at least the width leaves only
// these copies (ruling 0005).
struct ShiftRightArithmetic {
  template <typename T>
  static T Apply(T x, T y) {
    using Unsigned = std::make_unsigned_t<T>;
    using Signed = std::make_signed_t<T>;
    unsigned width = sizeof(T) * 8;
    Unsigned amount = static_cast<Unsigned>(y);
    return static_cast<T>(static_cast<Signed>(x) >> (amount >= width ? width - 1 : amount));
  }
};
// abs(INT_MIN) wraps to INT_MIN (ruling 0058).
struct Abs {
  template <typename T>
  static T Apply(T x) {
    return std::is_signed_v<T> && x < 0 ? static_cast<T>(0 - static_cast<uint64_t>(x)) : x;
  }
};
struct Sign {
  template <typename T>
  static T Apply(T x) {
    return static_cast<T>(x > 0 ? 1 : x == 0 ? 0 : -1);
  }
};

template <typename T>
Kernel OfType(ops::SignedArithmetic operation) {
  switch (operation) {
    case ops::SignedArithmetic::kMaximum:
      return BinaryLoop<Maximum, T>;
    case ops::SignedArithmetic::kMinimum:
      return BinaryLoop<Minimum, T>;
    case ops::SignedArithmetic::kDivide:
      return BinaryLoop<Divide, T>;
    case ops::SignedArithmetic::kRemainder:
      return BinaryLoop<Remainder, T>;
    case ops::SignedArithmetic::kPower:
      return BinaryLoop<Power, T>;
    case ops::SignedArithmetic::kShiftRightArithmetic:
      return BinaryLoop<ShiftRightArithmetic, T>;
    case ops::SignedArithmetic::kAbs:
      return UnaryLoop<Abs, T>;
    case ops::SignedArithmetic::kSign:
      return UnaryLoop<Sign, T>;
    case ops::SignedArithmetic::kMulhi:
      return nullptr;  // see MulhiKernel
  }
  HLOCTS_UNREACHABLE();
}

}  // namespace

Kernel SignedIntegerKernel(Opcode opcode, PrimitiveType type) {
  const std::optional<ops::SignedArithmetic> operation = ops::SignedArithmeticOf(opcode);
  if (!operation.has_value()) return nullptr;
  return VisitNumberType<Kernel>(type, [&](auto zero) -> Kernel {
    if constexpr (std::is_integral_v<decltype(zero)>) return OfType<decltype(zero)>(*operation);
    return nullptr;
  });
}

}  // namespace hlocts::reference
