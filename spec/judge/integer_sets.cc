// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/integer_sets.h"

#include <algorithm>

#include "spec/judge/integer_points.h"
#include "spec/ops/groups.h"

namespace hlocts {
namespace {

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

// Returns the set of a mask, shift or remainder, if it bounds the result for one unknown operand.
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
  IntegerContext context;
  context.type = to;
  context.origin = origin;
  if (to == PrimitiveType::kPred) {
    return Range(a.ilo > 0 || a.ihi < 0 ? 1 : 0, a.ilo != 0 || a.ihi != 0 ? 1 : 0, context, a);
  }
  return Range(a.ilo, a.ihi, context, a);
}

}  // namespace hlocts
