// SPDX-License-Identifier: Apache-2.0
// Integers of any width, extended to 64 bits. Results wrap. Division by zero returns all bits set.
// The least number divided by -1 returns itself. A shift by at least the width returns 0, or, if it
// is arithmetic, copies of the sign bit.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_INTEGER_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_INTEGER_H_

#include "backends/engine/cuda/device/used.h"

namespace hl {

// Returns the bits of the type, without the extension to 64 bits.
HL_FN u64 Cut(int type, u64 x) {
  const int unused = 64 - BitsOf(type);
  return x << unused >> unused;
}

HL_FN u64 Quotient(bool is_signed, u64 x, u64 y) {
  if (y == 0) return ~0ull;
  if (!is_signed) return x / y;
  if (y == ~0ull) return 0 - x;
  return static_cast<u64>(static_cast<i64>(x) / static_cast<i64>(y));
}
HL_FN u64 Remaining(bool is_signed, u64 x, u64 y) {
  if (y == 0) return x;
  if (!is_signed) return x % y;
  if (y == ~0ull) return 0;
  return static_cast<u64>(static_cast<i64>(x) % static_cast<i64>(y));
}

// With a negative exponent -n, the result is the integer quotient 1 / base^n.
HL_CALL u64 IntegerPower(bool is_signed, u64 base, u64 exponent) {
  if (is_signed && static_cast<i64>(exponent) < 0) {
    if (base == 0) return ~0ull;
    if (base == 1) return 1;
    return base != ~0ull ? 0 : (exponent & 1) != 0 ? ~0ull : 1;
  }
  u64 result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) result *= base;
  }
  return result;
}

// Returns the upper 64 bits of the 128-bit product.
HL_FN u64 UpperHalf(u64 x, u64 y) {
  const u64 a = x >> 32, b = x & 0xffffffffull, c = y >> 32, d = y & 0xffffffffull;
  const u64 middle = a * d + (b * d >> 32), other = b * c + (middle & 0xffffffffull);
  return a * c + (middle >> 32) + (other >> 32);
}
HL_FN u64 UpperHalf(int type, u64 x, u64 y) {
  const int bits = BitsOf(type);
  const bool is_signed = ClassOf(type) == kClassSigned;
  if (bits < 64) {
    if (!is_signed) return x * y >> bits;
    return static_cast<u64>(static_cast<i64>(x) * static_cast<i64>(y) >> bits);
  }
  u64 upper = UpperHalf(x, y);
  if (is_signed && x >> 63 != 0) upper -= y;
  if (is_signed && y >> 63 != 0) upper -= x;
  return upper;
}

HL_FN u64 Shifted(int op, int type, u64 x, u64 amount) {
  const u64 width = static_cast<u64>(BitsOf(type)), by = Cut(type, amount);
  if (op == kOpShiftLeft) return by < width ? x << by : 0;
  if (op == kOpShiftRightLogical) return by < width ? Cut(type, x) >> by : 0;
  // The sign is the top bit of the width, even if the type is unsigned.
  const int unused = 64 - static_cast<int>(width);
  const i64 extended = static_cast<i64>(x << unused) >> unused;
  return static_cast<u64>(extended >> (by < width ? by : width - 1));
}

HL_CALL u64 IntegerUnary(int op, int type, u64 x) {
  const bool is_signed = ClassOf(type) == kClassSigned;
  const bool negative = is_signed && static_cast<i64>(x) < 0;
  u64 result = x;
  switch (op) {
    case kOpAbs:
      result = negative ? 0 - x : x;
      break;
    case kOpNegate:
      result = 0 - x;
      break;
    case kOpSign:
      result = negative ? ~0ull : x != 0 ? 1 : 0;
      break;
    case kOpNot:
      result = type == kPred ? !x : ~x;
      break;
    case kOpPopcnt:
    case kOpCountLeadingZeros: {
      u64 count = 0, left = Cut(type, x);
      if (op == kOpPopcnt) {
        for (; left != 0; left &= left - 1) ++count;
      } else {
        count = static_cast<u64>(BitsOf(type));
        for (; left != 0; left >>= 1) --count;
      }
      result = count;
      break;
    }
    default:
      break;
  }
  return Wrap(type, result);
}

HL_FN bool IntegerLess(bool is_signed, u64 x, u64 y) {
  return is_signed ? static_cast<i64>(x) < static_cast<i64>(y) : x < y;
}

HL_CALL u64 IntegerBinary(int op, int type, u64 x, u64 y) {
  const bool is_signed = ClassOf(type) == kClassSigned, truth = type == kPred;
  u64 result = 0;
  switch (op) {
    case kOpAdd:
      result = truth ? x | y : x + y;
      break;
    case kOpSubtract:
      result = x - y;
      break;
    case kOpMultiply:
      result = x * y;
      break;
    case kOpDivide:
      result = Quotient(is_signed, x, y);
      break;
    case kOpRemainder:
      result = Remaining(is_signed, x, y);
      break;
    case kOpPower:
      result = IntegerPower(is_signed, x, y);
      break;
    case kOpMaximum:
      result = IntegerLess(is_signed, x, y) ? y : x;
      break;
    case kOpMinimum:
      result = IntegerLess(is_signed, x, y) ? x : y;
      break;
    case kOpAnd:
      result = x & y;
      break;
    case kOpOr:
      result = x | y;
      break;
    case kOpXor:
      result = x ^ y;
      break;
    case kOpMulhi:
      result = UpperHalf(type, x, y);
      break;
    default:
      result = Shifted(op, type, x, y);
  }
  return Wrap(type, result);
}

HL_FN bool IntegerRelation(int direction, bool is_signed, u64 x, u64 y) {
  switch (direction) {
    case kEq:
      return x == y;
    case kNe:
      return x != y;
    case kLt:
      return IntegerLess(is_signed, x, y);
    case kLe:
      return !IntegerLess(is_signed, y, x);
    case kGt:
      return IntegerLess(is_signed, y, x);
    default:
      return !IntegerLess(is_signed, x, y);
  }
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_INTEGER_H_
