#include "spec/judge/integer_sets.h"

#include <algorithm>
#include <bit>

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

Int128 Wrap(Int128 value, PrimitiveType type) {
  if (type == PrimitiveType::kPred) return value & 1;
  int bits = BitWidth(type);
  unsigned __int128 cut =
      static_cast<unsigned __int128>(value) & ((static_cast<unsigned __int128>(1) << bits) - 1);
  Int128 wrapped = static_cast<Int128>(cut);
  if (IsSigned(type) && (wrapped >> (bits - 1))) wrapped -= Int128{1} << bits;
  return wrapped;
}

// [lo, hi] if no value of it wraps, else the full range.
AcceptanceSet Range(Int128 lo, Int128 hi, const IntegerContext& context,
                    const AcceptanceSet& cause) {
  Int128 least, most;
  IntegerLimits(context.type, least, most);
  AcceptanceSet s;
  if (lo == hi) {
    s = AcceptanceSet::Integers(Wrap(lo, context.type), Wrap(lo, context.type));
  } else if (lo < least || hi > most) {
    return Full(context, cause);
  } else {
    s = AcceptanceSet::Integers(lo, hi);
  }
  s.cause = lo == hi ? WideningCause::kPoint : cause.cause;
  s.origin = lo == hi ? context.origin : cause.origin;
  return s;
}

Int128 Width(PrimitiveType type) { return type == PrimitiveType::kPred ? 1 : BitWidth(type); }

Int128 PowerOf(Int128 base, Int128 exponent, PrimitiveType type) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  unsigned __int128 result = 1, factor = static_cast<unsigned __int128>(base);
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result *= factor;
    factor *= factor;
  }
  return Wrap(static_cast<Int128>(result), type);
}

Int128 ShiftPoint(Opcode opcode, Int128 a, Int128 amount, PrimitiveType type) {
  Int128 width = Width(type);
  bool out = amount < 0 || amount >= width;
  if (opcode == Opcode::kShiftLeft)
    return out ? Int128{0} : Wrap(a << static_cast<int>(amount), type);
  Int128 mask = (Int128{1} << static_cast<int>(width)) - 1;
  Int128 bits = a & mask;
  if (opcode == Opcode::kShiftRightLogical)
    return out ? Int128{0} : Wrap(bits >> static_cast<int>(amount), type);
  bool negative = ((bits >> static_cast<int>(width - 1)) & 1) != 0;
  Int128 value = negative ? bits - (Int128{1} << static_cast<int>(width)) : bits;
  return Wrap(value >> static_cast<int>(out ? width - 1 : amount), type);
}

Int128 BinaryPoint(Opcode opcode, Int128 a, Int128 b, PrimitiveType type) {
  Int128 least, most;
  IntegerLimits(type, least, most);
  switch (opcode) {
    case Opcode::kAnd:
      return a & b;
    case Opcode::kOr:
      return a | b;
    case Opcode::kXor:
      return a ^ b;
    case Opcode::kAdd:
      return type == PrimitiveType::kPred ? (a | b) : Wrap(a + b, type);
    case Opcode::kSubtract:
      return Wrap(a - b, type);
    case Opcode::kMultiply:
      return Wrap(a * b, type);
    case Opcode::kMaximum:
      return std::max(a, b);
    case Opcode::kMinimum:
      return std::min(a, b);
    case Opcode::kDivide:
      return b == 0 ? Wrap(-1, type) : Wrap(a / b, type);
    case Opcode::kRemainder:
      return b == 0 ? a : a % b;
    case Opcode::kPower:
      return PowerOf(a, b, type);
    default:
      return ShiftPoint(opcode, a, b, type);
  }
}

bool Monotone(Opcode opcode) { return opcode == Opcode::kMaximum || opcode == Opcode::kMinimum; }

AcceptanceSet Corners(Opcode opcode, const AcceptanceSet& a, const AcceptanceSet& b,
                      const IntegerContext& context, const AcceptanceSet& cause) {
  Int128 lo = 0, hi = 0;
  bool first = true;
  for (Int128 x : {a.ilo, a.ihi}) {
    for (Int128 y : {b.ilo, b.ihi}) {
      // 64-bit operands: the sum and product fit in 128 bits.
      Int128 z = opcode == Opcode::kAdd        ? x + y
                 : opcode == Opcode::kSubtract ? x - y
                 : opcode == Opcode::kMultiply ? x * y
                 : opcode == Opcode::kDivide   ? x / y
                 : opcode == Opcode::kMaximum  ? std::max(x, y)
                                               : std::min(x, y);
      lo = first ? z : std::min(lo, z);
      hi = first ? z : std::max(hi, z);
      first = false;
    }
  }
  return Range(lo, hi, context, cause);
}

AcceptanceSet PredTable(Opcode opcode, const AcceptanceSet& a, const AcceptanceSet& b,
                        const IntegerContext& context, const AcceptanceSet& cause) {
  Int128 lo = 1, hi = 0;
  for (Int128 x = a.ilo; x <= a.ihi; ++x) {
    for (Int128 y = b.ilo; y <= b.ihi; ++y) {
      Int128 z = BinaryPoint(opcode, x, y, PrimitiveType::kPred);
      lo = std::min(lo, z);
      hi = std::max(hi, z);
    }
  }
  return Range(lo, hi, context, cause);
}

}  // namespace

void IntegerLimits(PrimitiveType type, Int128& lo, Int128& hi) {
  int bits = type == PrimitiveType::kPred ? 1 : BitWidth(type);
  bool is_signed = IsSigned(type);
  lo = is_signed ? -(Int128{1} << (bits - 1)) : Int128{0};
  hi = (Int128{1} << (is_signed ? bits - 1 : bits)) - 1;
}

bool IntegerResultIsOpen(Opcode opcode, Int128 a, Int128 b, const IntegerContext& context) {
  Int128 least, most;
  IntegerLimits(context.type, least, most);
  switch (opcode) {
    case Opcode::kDivide:
    case Opcode::kRemainder:
      if (context.facts.integer_division) return false;
      return b == 0 || (IsSigned(context.type) && b == -1 && a == least);
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
      return !context.facts.shift_saturate && (b < 0 || b >= Width(context.type));
    case Opcode::kPower:
      return b < 0 && a == 0;
    default:
      return false;
  }
}

namespace {

// Bits that are set, or zeros above the first of them, at the type's width.
int CountOfPoint(Opcode opcode, Int128 value, PrimitiveType type) {
  const int width = Width(type);
  const uint64_t bits = static_cast<uint64_t>(value) << (64 - width);
  return opcode == Opcode::kPopcnt ? std::popcount(bits) : std::min(width, std::countl_zero(bits));
}

// The least number over -1 leaves the range.
bool MayLeaveTheRange(const AcceptanceSet& a, const AcceptanceSet& b, const IntegerContext& context) {
  Int128 least, most;
  IntegerLimits(context.type, least, most);
  return IsSigned(context.type) && a.ilo <= least && b.ilo <= -1 && b.ihi >= -1;
}

}  // namespace

AcceptanceSet UnaryInteger(Opcode opcode, const AcceptanceSet& a, const IntegerContext& context) {
  if (a.unspecified()) return a;
  Int128 lo = a.ilo, hi = a.ihi;
  switch (opcode) {
    case Opcode::kNegate:
      return Range(-hi, -lo, context, a);
    case Opcode::kNot:
      if (context.type == PrimitiveType::kPred) return Range(1 - hi, 1 - lo, context, a);
      return IsSigned(context.type) ? Range(~hi, ~lo, context, a) : Full(context, a);
    case Opcode::kAbs:
      if (lo >= 0) return a;
      if (hi <= 0) return Range(-hi, -lo, context, a);
      return Range(0, std::max(-lo, hi), context, a);
    case Opcode::kSign:
      return Range((lo > 0) - (lo < 0), (hi > 0) - (hi < 0), context, a);
    case Opcode::kPopcnt:
    case Opcode::kCountLeadingZeros: {
      if (lo != hi) return Range(0, Width(context.type), context, a);
      const Int128 count = CountOfPoint(opcode, lo, context.type);
      return Range(count, count, context, a);
    }
    default:
      return Full(context, a);
  }
}

AcceptanceSet BinaryInteger(Opcode opcode, const AcceptanceSet& a, const AcceptanceSet& b,
                            const IntegerContext& context) {
  if (a.unspecified()) return a;
  if (b.unspecified()) return b;
  const AcceptanceSet& cause = a.cause == WideningCause::kPoint ? b : a;
  if (context.type == PrimitiveType::kPred) return PredTable(opcode, a, b, context, cause);
  bool points = a.ilo == a.ihi && b.ilo == b.ihi;
  if (points) {
    if (IntegerResultIsOpen(opcode, a.ilo, b.ilo, context)) {
      return AcceptanceSet::Unspecified(WideningCause::kFreedom, context.origin);
    }
    Int128 value = BinaryPoint(opcode, a.ilo, b.ilo, context.type);
    return AcceptanceSet::Integers(value, value);
  }
  bool divides = opcode == Opcode::kDivide || opcode == Opcode::kRemainder;
  const bool zero = b.ilo <= 0 && b.ihi >= 0;
  if (divides && (zero || MayLeaveTheRange(a, b, context)) && !context.facts.integer_division) {
    return AcceptanceSet::Unspecified(WideningCause::kFreedom, context.origin);
  }
  bool arithmetic = opcode == Opcode::kAdd || opcode == Opcode::kSubtract ||
                    opcode == Opcode::kMultiply || Monotone(opcode);
  if (arithmetic || (opcode == Opcode::kDivide && (b.ilo > 0 || b.ihi < 0))) {
    return Corners(opcode, a, b, context, cause);
  }
  if (opcode == Opcode::kRemainder && (b.ilo > 0 || b.ihi < 0)) {
    Int128 most = std::max(b.ihi, -b.ilo) - 1;
    return Range(a.ilo < 0 ? std::max(a.ilo, -most) : Int128{0},
                 a.ihi > 0 ? std::min(a.ihi, most) : Int128{0}, context, cause);
  }
  return Full(context, cause);
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
