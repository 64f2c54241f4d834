// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/integer_points.h"

#include <algorithm>
#include <bit>

#include "spec/ir/opcode.h"

namespace hlocts {
namespace {

__extension__ using UInt128 = unsigned __int128;

Int128 Add(Int128 a, Int128 b, PrimitiveType type) {
  return type == PrimitiveType::kPred ? (a | b) : a + b;  // ruling 0079
}

Int128 Subtract(Int128 a, Int128 b, PrimitiveType) { return a - b; }

// The product of two u64 is at most 2^128 - 2^65 + 1. If it overflows Int128, the negative result
// is outside u64 as well.
Int128 Multiply(Int128 a, Int128 b, PrimitiveType) {
  return static_cast<Int128>(static_cast<UInt128>(a) * static_cast<UInt128>(b));
}

// Returns the upper w bits of the 2w-bit product, i.e. floor(product / 2^w), which fits the type.
// For signed types |a * b| <= 2^126. The floor is monotone, so its extremes over a box are at the
// same corners as those of the product.
Int128 HighProduct(Int128 a, Int128 b, PrimitiveType type) {
  const int width = IntegerWidth(type);
  if (IsSigned(type)) return (a * b) >> width;
  return static_cast<Int128>((static_cast<UInt128>(a) * static_cast<UInt128>(b)) >> width);
}

Int128 Maximum(Int128 a, Int128 b, PrimitiveType) { return std::max(a, b); }
Int128 Minimum(Int128 a, Int128 b, PrimitiveType) { return std::min(a, b); }
Int128 And(Int128 a, Int128 b, PrimitiveType) { return a & b; }
Int128 Or(Int128 a, Int128 b, PrimitiveType) { return a | b; }
Int128 Xor(Int128 a, Int128 b, PrimitiveType) { return a ^ b; }
Int128 Divide(Int128 a, Int128 b, PrimitiveType) { return b == 0 ? -1 : a / b; }
Int128 Remainder(Int128 a, Int128 b, PrimitiveType) { return b == 0 ? a : a % b; }

Int128 Power(Int128 base, Int128 exponent, PrimitiveType) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  UInt128 result = 1, factor = static_cast<UInt128>(base);
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result *= factor;
    factor *= factor;
  }
  return static_cast<Int128>(result);
}

bool ShiftsAllOut(Int128 amount, PrimitiveType type) {
  return amount < 0 || amount >= IntegerWidth(type);
}

Int128 ShiftLeft(Int128 a, Int128 amount, PrimitiveType type) {
  return ShiftsAllOut(amount, type) ? 0 : a << static_cast<int>(amount);
}

Int128 ShiftRightLogical(Int128 a, Int128 amount, PrimitiveType type) {
  const Int128 bits = a & ((Int128{1} << IntegerWidth(type)) - 1);
  return ShiftsAllOut(amount, type) ? 0 : bits >> static_cast<int>(amount);
}

// Repeats the sign bit, even for unsigned types.
Int128 ShiftRightArithmetic(Int128 a, Int128 amount, PrimitiveType type) {
  const int width = IntegerWidth(type);
  Int128 value = a & ((Int128{1} << width) - 1);
  if ((value >> (width - 1)) != 0) value -= Int128{1} << width;
  return value >> (ShiftsAllOut(amount, type) ? width - 1 : static_cast<int>(amount));
}

constexpr IntegerBinary kRows[] = {
    {Opcode::kAdd, Add, OpenPoints::kNone, EnclosureKind::kCorners},
    {Opcode::kSubtract, Subtract, OpenPoints::kNone, EnclosureKind::kCorners},
    {Opcode::kMultiply, Multiply, OpenPoints::kNone, EnclosureKind::kCorners},
    {Opcode::kMulhi, HighProduct, OpenPoints::kNone, EnclosureKind::kCorners},
    {Opcode::kMaximum, Maximum, OpenPoints::kNone, EnclosureKind::kCorners},
    {Opcode::kMinimum, Minimum, OpenPoints::kNone, EnclosureKind::kCorners},
    {Opcode::kDivide, Divide, OpenPoints::kDivision, EnclosureKind::kQuotient},
    {Opcode::kRemainder, Remainder, OpenPoints::kDivision, EnclosureKind::kRemainder},
    {Opcode::kPower, Power, OpenPoints::kPower, EnclosureKind::kFullRange},
    {Opcode::kAnd, And, OpenPoints::kNone, EnclosureKind::kBits},
    {Opcode::kOr, Or, OpenPoints::kNone, EnclosureKind::kBits},
    {Opcode::kXor, Xor, OpenPoints::kNone, EnclosureKind::kBits},
    {Opcode::kShiftLeft, ShiftLeft, OpenPoints::kShift, EnclosureKind::kShift},
    {Opcode::kShiftRightLogical, ShiftRightLogical, OpenPoints::kShift, EnclosureKind::kShift},
    {Opcode::kShiftRightArithmetic, ShiftRightArithmetic, OpenPoints::kShift,
     EnclosureKind::kShift},
};

uint64_t UppermostBits(Int128 value, PrimitiveType type) {
  return static_cast<uint64_t>(value) << (64 - IntegerWidth(type));
}

}  // namespace

const IntegerBinary* FindIntegerBinary(Opcode opcode) {
  for (const IntegerBinary& row : kRows) {
    if (row.opcode == opcode) return &row;
  }
  return nullptr;
}

int IntegerWidth(PrimitiveType type) { return type == PrimitiveType::kPred ? 1 : BitWidth(type); }

Int128 WrapInteger(Int128 value, PrimitiveType type) {
  if (type == PrimitiveType::kPred) return value & 1;
  const int bits = BitWidth(type);
  Int128 wrapped = value & ((Int128{1} << bits) - 1);
  if (IsSigned(type) && (wrapped >> (bits - 1)) != 0) wrapped -= Int128{1} << bits;
  return wrapped;
}

int PopulationCount(Int128 value, PrimitiveType type) {
  return std::popcount(UppermostBits(value, type));
}

int LeadingZeros(Int128 value, PrimitiveType type) {
  return std::min(IntegerWidth(type), std::countl_zero(UppermostBits(value, type)));
}

}  // namespace hlocts
