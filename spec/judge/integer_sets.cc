// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/integer_sets.h"

#include <algorithm>
#include <bit>

#include "spec/ir/opcode.h"
#include "spec/ops/groups.h"

namespace hlocts {
namespace {

// Integer operations on single values: their results, and the operands for which the documents
// leave the result open. The table has one row per operation that the judge supports.

// The operands for which the documents leave the result open unless a target fact determines it.
enum class OpenPoints : uint8_t { kNone, kDivision, kShift, kPower };

// The method that encloses the results for two intervals.
enum class EnclosureKind : uint8_t {
  kCorners,    // monotone in each operand while the other is fixed: the extremes are at corners
  kQuotient,   // as kCorners if the divisor keeps its sign
  kRemainder,  // smaller than the divisor, with the dividend's sign
  kBits,       // bit by bit: bits above the highest in which an interval's ends differ are known
  kShift,      // as kCorners unless the shift reads a sign bit of an operand
  kFullRange,  // any value of the type
};

struct IntegerBinary {
  Opcode opcode;
  // Returns the value before wrapping. It is exact if |result| < 2^127; otherwise it is a value
  // modulo 2^128 that is outside every type.
  Int128 (*exact)(Int128 a, Int128 b, PrimitiveType type);
  OpenPoints open;
  EnclosureKind enclosure;
};

__extension__ using UInt128 = unsigned __int128;

// Returns the number of significant bits, which is 1 for pred.
int IntegerWidth(PrimitiveType type) { return type == PrimitiveType::kPred ? 1 : BitWidth(type); }

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

// Shifts in copies of the sign bit, even for unsigned types.
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

const IntegerBinary* FindIntegerBinary(Opcode opcode) {
  for (const IntegerBinary& row : kRows) {
    if (row.opcode == opcode) return &row;
  }
  return nullptr;
}

// Reduces a value modulo 2^width into the range of the type.
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

AcceptanceSet Full(const IntegerContext& context, const AcceptanceSet& cause) {
  Int128 lo, hi;
  IntegerLimits(context.type, lo, hi);
  AcceptanceSet s = AcceptanceSet::Integers(lo, hi);
  s.cause = cause.cause == WideningCause::kPoint ? WideningCause::kUnknown : cause.cause;
  s.origin = cause.cause == WideningCause::kPoint ? context.origin : cause.origin;
  return s;
}

// Returns [lo, hi] if none of its values wraps, otherwise the full range.
AcceptanceSet Range(Int128 lo, Int128 hi, const IntegerContext& context,
                    const AcceptanceSet& cause) {
  Int128 least, most;
  IntegerLimits(context.type, least, most);
  AcceptanceSet s;
  if (lo == hi) {
    s = AcceptanceSet::Integers(WrapInteger(lo, context.type), WrapInteger(lo, context.type));
  } else if (lo < least || hi > most) {
    return Full(context, cause);
  } else {
    s = AcceptanceSet::Integers(lo, hi);
  }
  s.cause = lo == hi ? WideningCause::kPoint : cause.cause;
  s.origin = lo == hi ? context.origin : cause.origin;
  return s;
}

AcceptanceSet Corners(const IntegerBinary& row, const AcceptanceSet& a, const AcceptanceSet& b,
                      const IntegerContext& context, const AcceptanceSet& cause) {
  Int128 lo = row.exact(a.ilo, b.ilo, context.type), hi = lo;
  for (Int128 x : {a.ilo, a.ihi}) {
    for (Int128 y : {b.ilo, b.ihi}) {
      const Int128 z = row.exact(x, y, context.type);
      lo = std::min(lo, z);
      hi = std::max(hi, z);
    }
  }
  return Range(lo, hi, context, cause);
}

AcceptanceSet PredTable(const IntegerBinary& row, const AcceptanceSet& a, const AcceptanceSet& b,
                        const IntegerContext& context, const AcceptanceSet& cause) {
  Int128 lo = 1, hi = 0;
  for (Int128 x = a.ilo; x <= a.ihi; ++x) {
    for (Int128 y = b.ilo; y <= b.ihi; ++y) {
      Int128 z = WrapInteger(row.exact(x, y, PrimitiveType::kPred), PrimitiveType::kPred);
      lo = std::min(lo, z);
      hi = std::max(hi, z);
    }
  }
  return Range(lo, hi, context, cause);
}

AcceptanceSet Unknown(const IntegerContext& context) {
  return AcceptanceSet::Unspecified(WideningCause::kUnknown, context.origin);
}

AcceptanceSet UnspecifiedInteger(const IntegerContext& context) {
  return AcceptanceSet::Unspecified(WideningCause::kFreedom, context.origin);
}

}  // namespace

void IntegerLimits(PrimitiveType type, Int128& lo, Int128& hi) {
  int bits = IntegerWidth(type);
  bool is_signed = IsSigned(type);
  lo = is_signed ? -(Int128{1} << (bits - 1)) : Int128{0};
  hi = (Int128{1} << (is_signed ? bits - 1 : bits)) - 1;
}

bool IntegerResultIsOpen(Opcode opcode, Int128 a, Int128 b, const IntegerContext& context) {
  const IntegerBinary* row = FindIntegerBinary(opcode);
  if (row == nullptr) return true;
  Int128 least, most;
  IntegerLimits(context.type, least, most);
  switch (row->open) {
    case OpenPoints::kNone:
      return false;
    case OpenPoints::kDivision:
      if (context.facts.integer_division) return false;
      return b == 0 || (IsSigned(context.type) && b == -1 && a == least);
    case OpenPoints::kShift:
      return !context.facts.shift_saturate && (b < 0 || b >= IntegerWidth(context.type));
    case OpenPoints::kPower:
      return b < 0 && a == 0;
  }
  return true;
}

namespace {

// Returns true if the least number may be divided by -1, which overflows.
bool MayLeaveTheRange(const AcceptanceSet& a, const AcceptanceSet& b,
                      const IntegerContext& context) {
  Int128 least, most;
  IntegerLimits(context.type, least, most);
  return IsSigned(context.type) && a.ilo <= least && b.ilo <= -1 && b.ihi >= -1;
}

// Returns the set of ~x. Two's complement yields ~x = -1 - x, and for unsigned types the greatest
// number minus x; both are decreasing.
AcceptanceSet NotInteger(const AcceptanceSet& a, const IntegerContext& context) {
  Int128 least, most;
  IntegerLimits(context.type, least, most);
  return Range(least + most - a.ihi, least + most - a.ilo, context, a);
}

AcceptanceSet AbsInteger(const AcceptanceSet& a, const IntegerContext& context) {
  if (a.ilo >= 0) return a;
  if (a.ihi <= 0) return Range(-a.ihi, -a.ilo, context, a);
  return Range(0, std::max(-a.ilo, a.ihi), context, a);
}

AcceptanceSet CountInteger(int (*count)(Int128, PrimitiveType), const AcceptanceSet& a,
                           const IntegerContext& context) {
  if (a.ilo != a.ihi) return Range(0, IntegerWidth(context.type), context, a);
  const Int128 counted = count(a.ilo, context.type);
  return Range(counted, counted, context, a);
}

AcceptanceSet Quotients(const IntegerBinary& row, const AcceptanceSet& a, const AcceptanceSet& b,
                        const IntegerContext& context, const AcceptanceSet& cause) {
  return b.ilo > 0 || b.ihi < 0 ? Corners(row, a, b, context, cause) : Full(context, cause);
}

AcceptanceSet Remainders(const AcceptanceSet& a, const AcceptanceSet& b,
                         const IntegerContext& context, const AcceptanceSet& cause) {
  if (b.ilo <= 0 && b.ihi >= 0) return Full(context, cause);
  Int128 most = std::max(b.ihi, -b.ilo) - 1;
  return Range(a.ilo < 0 ? std::max(a.ilo, -most) : Int128{0},
               a.ihi > 0 ? std::min(a.ihi, most) : Int128{0}, context, cause);
}

// The bits that are set in all numbers of an interval, and those that are set in some.
struct Bits {
  Int128 all, some;
};

Bits BitsOf(const AcceptanceSet& s, PrimitiveType type) {
  const Int128 mask = (Int128{1} << IntegerWidth(type)) - 1;
  Int128 below = 0;  // the highest bit in which the ends differ, and all bits below it
  while (((s.ilo ^ s.ihi) & mask & ~below) != 0) below = below * 2 + 1;
  return {s.ilo & mask & ~below, (s.ilo & mask) | (below & mask)};
}

AcceptanceSet BitByBit(const IntegerBinary& row, const AcceptanceSet& a, const AcceptanceSet& b,
                       const IntegerContext& context, const AcceptanceSet& cause) {
  const Bits x = BitsOf(a, context.type), y = BitsOf(b, context.type);
  // For and, or: more set bits in the operands give more set bits in the result.
  Bits r = {row.exact(x.all, y.all, context.type), row.exact(x.some, y.some, context.type)};
  if (row.opcode == Opcode::kXor) {
    r = {(x.all & ~y.some) | (y.all & ~x.some), (x.some | y.some) & ~(x.all & y.all)};
  }
  // The least number has the sign bit if any number may have it; the greatest, only if all have it.
  const Int128 sign = IsSigned(context.type) ? Int128{1} << (IntegerWidth(context.type) - 1) : 0;
  const Int128 least = r.all | (r.some & sign), most = r.some & ~(sign & ~r.all);
  return Range(WrapInteger(least, context.type), WrapInteger(most, context.type), context, cause);
}

// Encloses shifts: x * 2^n and x / 2^n increase with x, and are monotone in n for each sign of x.
AcceptanceSet Shifted(const IntegerBinary& row, const AcceptanceSet& a, const AcceptanceSet& b,
                      const IntegerContext& context, const AcceptanceSet& cause) {
  const int width = IntegerWidth(context.type);
  const bool inside = b.ilo >= 0 && b.ihi < width;
  const bool arithmetic = row.opcode == Opcode::kShiftRightArithmetic;
  const Int128 half = Int128{1} << (width - 1);
  const bool as_number = row.opcode == Opcode::kShiftLeft ||
                         (a.ilo >= 0 && !(arithmetic && a.ihi >= half)) ||
                         (arithmetic && IsSigned(context.type));
  return inside && as_number ? Corners(row, a, b, context, cause) : Full(context, cause);
}

AcceptanceSet OfIntervals(const IntegerBinary& row, const AcceptanceSet& a, const AcceptanceSet& b,
                          const IntegerContext& context, const AcceptanceSet& cause) {
  switch (row.enclosure) {
    case EnclosureKind::kCorners:
      return Corners(row, a, b, context, cause);
    case EnclosureKind::kQuotient:
      return Quotients(row, a, b, context, cause);
    case EnclosureKind::kRemainder:
      return Remainders(a, b, context, cause);
    case EnclosureKind::kBits:
      return BitByBit(row, a, b, context, cause);
    case EnclosureKind::kShift:
      return Shifted(row, a, b, context, cause);
    case EnclosureKind::kFullRange:
      return Full(context, cause);
  }
  return Unknown(context);
}

// Returns the set of a mask, shift or remainder with one unspecified operand, if the other operand
// bounds the result.
std::optional<AcceptanceSet> OfAnyNumber(const IntegerBinary& row, const AcceptanceSet& a,
                                         const AcceptanceSet& b, const IntegerContext& context) {
  const bool narrows = row.enclosure == EnclosureKind::kBits ||
                       row.enclosure == EnclosureKind::kShift ||
                       row.enclosure == EnclosureKind::kRemainder;
  if (!narrows || a.unspecified() == b.unspecified()) return std::nullopt;
  const AcceptanceSet& open = a.unspecified() ? a : b;
  const AcceptanceSet all = Full(context, open);
  const AcceptanceSet s =
      BinaryInteger(row.opcode, a.unspecified() ? all : a, b.unspecified() ? all : b, context);
  return s.unspecified() || (s.ilo == all.ilo && s.ihi == all.ihi) ? open : s;
}

}  // namespace

AcceptanceSet UnaryInteger(Opcode opcode, const AcceptanceSet& a, const IntegerContext& context) {
  if (a.unspecified()) return a;
  const std::optional<ops::IntegerUnary> operation = ops::IntegerUnaryOf(opcode);
  if (!operation.has_value()) return Unknown(context);
  switch (*operation) {
    case ops::IntegerUnary::kNegate:
      return Range(-a.ihi, -a.ilo, context, a);
    case ops::IntegerUnary::kNot:
      return NotInteger(a, context);
    case ops::IntegerUnary::kAbs:
      return AbsInteger(a, context);
    case ops::IntegerUnary::kSign:
      return Range((a.ilo > 0) - (a.ilo < 0), (a.ihi > 0) - (a.ihi < 0), context, a);
    case ops::IntegerUnary::kPopcnt:
      return CountInteger(PopulationCount, a, context);
    case ops::IntegerUnary::kCountLeadingZeros:
      return CountInteger(LeadingZeros, a, context);
  }
  HLOCTS_UNREACHABLE();
}

AcceptanceSet BinaryInteger(Opcode opcode, const AcceptanceSet& a, const AcceptanceSet& b,
                            const IntegerContext& context) {
  const IntegerBinary* row = FindIntegerBinary(opcode);
  if (row == nullptr) return Unknown(context);
  if (const std::optional<AcceptanceSet> s = OfAnyNumber(*row, a, b, context)) return *s;
  if (a.unspecified()) return a;
  if (b.unspecified()) return b;
  const AcceptanceSet& cause = a.cause == WideningCause::kPoint ? b : a;
  if (context.type == PrimitiveType::kPred) return PredTable(*row, a, b, context, cause);
  if (a.ilo == a.ihi && b.ilo == b.ihi) {
    if (IntegerResultIsOpen(opcode, a.ilo, b.ilo, context)) return UnspecifiedInteger(context);
    Int128 value = WrapInteger(row->exact(a.ilo, b.ilo, context.type), context.type);
    return AcceptanceSet::Integers(value, value);
  }
  const bool divides = row->open == OpenPoints::kDivision;
  const bool zero = b.ilo <= 0 && b.ihi >= 0;
  if (divides && (zero || MayLeaveTheRange(a, b, context)) && !context.facts.integer_division) {
    return UnspecifiedInteger(context);
  }
  return OfIntervals(*row, a, b, context, cause);
}

AcceptanceSet CompareInteger(absl::string_view direction, const AcceptanceSet& a,
                             const AcceptanceSet& b, uint32_t origin) {
  AcceptanceSet s = AcceptanceSet::Integers(0, 1);
  s.cause = WideningCause::kJump;
  s.origin = origin;
  if (a.unspecified() || b.unspecified()) {
    s.cause = WideningCause::kUnknown;
    return s;
  }
  bool less = a.ilo<b.ihi, greater = a.ihi> b.ilo;
  bool equal = std::max(a.ilo, b.ilo) <= std::min(a.ihi, b.ihi);
  bool yes = false, no = false;
  auto outcome = [&](bool possible, bool holds) {
    if (possible) (holds ? yes : no) = true;
  };
  outcome(less, direction == "LT" || direction == "LE" || direction == "NE");
  outcome(equal, direction == "EQ" || direction == "LE" || direction == "GE");
  outcome(greater, direction == "GT" || direction == "GE" || direction == "NE");
  s.ilo = no ? 0 : 1;
  s.ihi = yes ? 1 : 0;
  if (s.ilo == s.ihi) s.cause = WideningCause::kPoint;
  return s;
}

AcceptanceSet ConvertInteger(const AcceptanceSet& a, PrimitiveType from, PrimitiveType to,
                             uint32_t origin) {
  if (a.unspecified()) return a;
  IntegerContext context{.type = to, .origin = origin};
  if (to == PrimitiveType::kPred) {
    return Range(a.ilo > 0 || a.ihi < 0 ? 1 : 0, a.ilo != 0 || a.ihi != 0 ? 1 : 0, context, a);
  }
  return Range(a.ilo, a.ihi, context, a);
}

}  // namespace hlocts
