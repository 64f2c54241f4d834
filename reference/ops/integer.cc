// SPDX-License-Identifier: Apache-2.0
// Implements integer operations whose bits do not depend on signedness, one kernel per width.
#include <type_traits>

#include "reference/kernels/codec.h"
#include "reference/kernels/loop.h"
#include "reference/ops/families.h"
#include "spec/ir/native.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {

Kernel SignedIntegerKernel(Opcode opcode, PrimitiveType type);  // defined in integer_signed.cc

namespace {

// Wraps modulo 2^width (ruling 0078). Narrow types are promoted to int and truncated by the store.
struct Add {
  template <typename T>
  static T Apply(T x, T y) {
    return static_cast<T>(x + y);
  }
};
struct Subtract {
  template <typename T>
  static T Apply(T x, T y) {
    return static_cast<T>(x - y);
  }
};
struct Multiply {
  template <typename T>
  static T Apply(T x, T y) {
    return static_cast<T>(uint64_t{x} * uint64_t{y});
  }
};
struct Negate {
  template <typename T>
  static T Apply(T x) {
    return static_cast<T>(0 - x);
  }
};
// elementwise_unary (Not), elementwise_binary (And, Or, Xor): bitwise operations (ruling 0056).
struct Not {
  template <typename T>
  static T Apply(T x) {
    return static_cast<T>(~x);
  }
};
struct And {
  template <typename T>
  static T Apply(T x, T y) {
    return x & y;
  }
};
struct Or {
  template <typename T>
  static T Apply(T x, T y) {
    return x | y;
  }
};
struct Xor {
  template <typename T>
  static T Apply(T x, T y) {
    return x ^ y;
  }
};
// elementwise_binary.13, .15: an amount of at least the width yields 0 (ruling 0005). The amount is
// unsigned, so a negative one is large.
struct ShiftLeft {
  template <typename T>
  static T Apply(T x, T y) {
    return y >= sizeof(T) * 8 ? T{0} : static_cast<T>(uint64_t{x} << y);
  }
};
struct ShiftRightLogical {
  template <typename T>
  static T Apply(T x, T y) {
    return y >= sizeof(T) * 8 ? T{0} : static_cast<T>(x >> y);
  }
};
// Returns the width for zero (ruling 0057).
struct CountLeadingZeros {
  template <typename T>
  static T Apply(T x) {
    int unused = 64 - static_cast<int>(sizeof(T)) * 8;
    return static_cast<T>(x == 0 ? sizeof(T) * 8 : __builtin_clzll(x) - unused);
  }
};
struct PopulationCount {
  template <typename T>
  static T Apply(T x) {
    return static_cast<T>(__builtin_popcountll(x));
  }
};

template <typename T>
Kernel OfWidth(ops::BitArithmetic operation) {
  switch (operation) {
    case ops::BitArithmetic::kAdd:
      return BinaryLoop<Add, T>;
    case ops::BitArithmetic::kSubtract:
      return BinaryLoop<Subtract, T>;
    case ops::BitArithmetic::kMultiply:
      return BinaryLoop<Multiply, T>;
    case ops::BitArithmetic::kAnd:
      return BinaryLoop<And, T>;
    case ops::BitArithmetic::kOr:
      return BinaryLoop<Or, T>;
    case ops::BitArithmetic::kXor:
      return BinaryLoop<Xor, T>;
    case ops::BitArithmetic::kShiftLeft:
      return BinaryLoop<ShiftLeft, T>;
    case ops::BitArithmetic::kShiftRightLogical:
      return BinaryLoop<ShiftRightLogical, T>;
    case ops::BitArithmetic::kNegate:
      return UnaryLoop<Negate, T>;
    case ops::BitArithmetic::kNot:
      return UnaryLoop<Not, T>;
    case ops::BitArithmetic::kCountLeadingZeros:
      return UnaryLoop<CountLeadingZeros, T>;
    case ops::BitArithmetic::kPopcnt:
      return UnaryLoop<PopulationCount, T>;
  }
  HLOCTS_UNREACHABLE();
}

struct LogicalNot {
  static uint8_t Apply(uint8_t x) { return x ^ 1; }
};

}  // namespace

Kernel IntegerKernel(Opcode opcode, PrimitiveType type) {
  const std::optional<ops::BitArithmetic> operation = ops::BitArithmeticOf(opcode);
  if (!operation.has_value()) return SignedIntegerKernel(opcode, type);
  switch (BitWidth(type)) {
    case 8:
      return OfWidth<uint8_t>(*operation);
    case 16:
      return OfWidth<uint16_t>(*operation);
    case 32:
      return OfWidth<uint32_t>(*operation);
    case 64:
      return OfWidth<uint64_t>(*operation);
    default:
      return nullptr;
  }
}

// For pred (a byte 0 or 1), add and maximum are OR, multiply and minimum are AND (ruling 0079).
Kernel PredKernel(Opcode opcode) {
  const std::optional<ops::PredArithmetic> operation = ops::PredArithmeticOf(opcode);
  if (!operation.has_value()) return nullptr;
  switch (*operation) {
    case ops::PredArithmetic::kAdd:
    case ops::PredArithmetic::kMaximum:
    case ops::PredArithmetic::kOr:
      return BinaryLoop<Or, uint8_t>;
    case ops::PredArithmetic::kMultiply:
    case ops::PredArithmetic::kMinimum:
    case ops::PredArithmetic::kAnd:
      return BinaryLoop<And, uint8_t>;
    case ops::PredArithmetic::kXor:
      return BinaryLoop<Xor, uint8_t>;
    case ops::PredArithmetic::kNot:
      return UnaryLoop<LogicalNot, uint8_t>;
  }
  HLOCTS_UNREACHABLE();
}

// mulhi: computes the upper half of the product in twice the width, with the type's signedness.
void MulhiKernel(const ElementwiseOp& op, const void* const* operands, void* result,
                 int64_t count) {
  int width = BitWidth(op.operand_type), bytes = StorageBytes(op.operand_type);
  const uint8_t* x = static_cast<const uint8_t*>(operands[0]);
  const uint8_t* y = static_cast<const uint8_t*>(operands[1]);
  uint8_t* out = static_cast<uint8_t*>(result);
  for (int64_t i = 0; i < count; ++i, x += bytes, y += bytes, out += bytes) {
    int64_t a, b;
    DecodeIntegers(op.operand_type, x, &a, 1);
    DecodeIntegers(op.operand_type, y, &b, 1);
    bool is_signed = IsSigned(op.operand_type);
    int64_t high =
        is_signed ? static_cast<int64_t>((static_cast<__int128>(a) * b) >> width)
                  : static_cast<int64_t>((static_cast<unsigned __int128>(static_cast<uint64_t>(a)) *
                                          static_cast<uint64_t>(b)) >>
                                         width);
    EncodeIntegers(op.operand_type, &high, out, 1);
  }
}

}  // namespace hlocts::reference
