// SPDX-License-Identifier: Apache-2.0
// Applies one operation of a program to one element of each operand, for the interpreter and for
// emitted code. In emitted code the operation and types are constants, so the switches are folded.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_APPLY_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_APPLY_H_

#include "backends/engine/cuda/device/complex_functions.h"
#include "backends/engine/cuda/device/integer.h"
#include "backends/engine/cuda/device/memory.h"

namespace hl {

HL_FN Value OfBool(bool x) {
  Value v;
  v.u = x ? 1 : 0;
  return v;
}
// Rounds both parts of a complex number to the precision of the type.
HL_FN Complex RoundedComplex(int type, Complex z) {
  if (type == kC128) return z;
  return {ToDouble(ToFloat(z.re)), ToDouble(ToFloat(z.im))};
}

// Rounds towards zero and saturates. NaN becomes 0.
HL_FN u64 ToInteger(int type, double x) {
  const bool is_signed = ClassOf(type) == kClassSigned;
  const int digits = BitsOf(type) - (is_signed ? 1 : 0);
  const double beyond = digits == 0 ? 1.0 : 2 * static_cast<double>(1ull << (digits - 1));
  if (IsNan(x)) return 0;
  if (x >= beyond) return digits == 64 ? ~0ull : (1ull << digits) - 1;
  if (!is_signed) return x <= 0 ? 0 : static_cast<u64>(x);
  if (x <= -beyond) return 0 - (1ull << digits);
  return static_cast<u64>(static_cast<i64>(x));
}

// Returns a double that rounds to a narrower format as the exact integer would.
HL_FN double SafeDouble(bool is_signed, u64 x) {
  const bool negative = is_signed && static_cast<i64>(x) < 0;
  u64 size = negative ? 0 - x : x;
  if (size >> 53 != 0) size = (size & ~0xfffull) | ((size & 0xfff) != 0 ? 0x800 : 0);
  const double result = static_cast<double>(size);
  return negative ? -result : result;
}

HL_CALL Value FromDouble(int to, double x) {
  Value v;
  switch (ClassOf(to)) {
    case kClassPred:
      v.u = x != 0;
      break;
    case kClassSigned:
    case kClassUnsigned:
      v.u = ToInteger(to, x);
      break;
    case kClassDouble:
      v.d = x;
      break;
    case kClassComplex:
      v.z = RoundedComplex(to, {x, 0});
      break;
    default:
      v.f = RoundedOnce(to, x);
  }
  return v;
}
HL_CALL Value FromInteger(bool is_signed, u64 x, int to) {
  Value v;
  switch (ClassOf(to)) {
    case kClassPred:
    case kClassSigned:
    case kClassUnsigned:
      v.u = Wrap(to, x);
      return v;
    case kClassDouble:
      v.d = is_signed ? static_cast<double>(static_cast<i64>(x)) : static_cast<double>(x);
      return v;
    default:
      if (to == kC128) {
        v.z = {is_signed ? static_cast<double>(static_cast<i64>(x)) : static_cast<double>(x), 0};
        return v;
      }
      return FromDouble(to, SafeDouble(is_signed, x));
  }
}
HL_CALL Value Convert(int from, int to, Value x) {
  if (from == to) return x;
  switch (ClassOf(from)) {
    case kClassPred:
      return FromInteger(false, x.u, to);
    case kClassSigned:
      return FromInteger(true, x.u, to);
    case kClassUnsigned:
      return FromInteger(false, x.u, to);
    case kClassFloat:
      return FromDouble(to, ToDouble(x.f));
    case kClassDouble:
      return FromDouble(to, x.d);
    default:
      break;
  }
  if (to == kPred) return OfBool(x.z.re != 0 || x.z.im != 0);
  if (ClassOf(to) != kClassComplex) return FromDouble(to, x.z.re);
  x.z = RoundedComplex(to, x.z);
  return x;
}

// Rounds the mantissa to nearest, ties to even, then limits the exponent: overflow becomes
// infinity, and underflow becomes a signed zero.
HL_FN u64 ReducedBits(const Format& f, u64 bits, int exponent_bits, int mantissa_bits) {
  if (IsNanCode(f, bits)) return bits | 1ull << (f.mantissa_bits - 1);
  const u64 sign = bits & SignCode(f);
  u64 size = bits & ~SignCode(f);
  if (size == InfinityCode(f)) return bits;
  if (mantissa_bits < f.mantissa_bits) {
    const int dropped = f.mantissa_bits - mantissa_bits;
    size += (1ull << (dropped - 1)) - 1 + (size >> dropped & 1);
    size = size >> dropped << dropped;
  }
  if (exponent_bits < f.exponent_bits) {
    const i64 exponent = static_cast<i64>(size >> f.mantissa_bits) - f.bias;
    const i64 most = (1ll << (exponent_bits - 1)) - 1;
    if (exponent > most) size = InfinityCode(f);
    if (exponent < 1 - most) size = 0;
  }
  return sign | size;
}
// Reduces the precision of a value. If the format is not IEEE, this is done in the f32 format.
HL_CALL Value ReducePrecision(int type, Value x, i64 exponent_bits, i64 mantissa_bits) {
  const int e = static_cast<int>(exponent_bits), m = static_cast<int>(mantissa_bits);
  if (FormatOf(type).special == kIeee) {
    return FromBits(type, ReducedBits(FormatOf(type), ToBits(type, x), e, m));
  }
  x.f = Rounded(type,
                FloatOfBits(static_cast<u32>(ReducedBits(FormatOf(kF32), BitsOfFloat(x.f), e, m))));
  return x;
}

// Reinterprets the bits as another type of the same width. A c64 has the bits of two f32.
HL_CALL Value BitcastConvert(int from, int to, Value x) {
  if (from == to) return x;
  u64 bits;
  if (from == kC64) {
    bits = BitsOfFloat(Narrowed(x.z.re)) | static_cast<u64>(BitsOfFloat(Narrowed(x.z.im))) << 32;
  } else {
    // Removes the extension to 64 bits.
    const int unused = 64 - BitsOf(from);
    bits = ToBits(from, x) << unused >> unused;
  }
  if (to == kC64) {
    x.z = {Widened(FloatOfBits(static_cast<u32>(bits))),
           Widened(FloatOfBits(static_cast<u32>(bits >> 32)))};
    return x;
  }
  return FromBits(to, bits);
}

// Returns a real or imaginary part as an element of type `to`, with unchanged bits.
HL_FN Value PartOf(int to, double part) {
  Value v;
  if (to == kF32) {
    v.f = Narrowed(part);
  } else {
    v.d = part;
  }
  return v;
}

HL_CALL Value Unary(int op, int type, int to, Value x, int math = kMathDouble) {
  Value r;
  switch (ClassOf(type)) {
    case kClassFloat:
      if (op == kOpIsFinite) return OfBool(IsFinite(x.f));
      r.f = Rounded(type, RealUnary(op, x.f, type, math));
      break;
    case kClassDouble:
      if (op == kOpIsFinite) return OfBool(IsFinite(x.d));
      if constexpr (HasClass(kClassDouble)) {
        r.d = RealUnary(op, x.d, type, math);
      } else {
        NotUsed();
      }
      break;
    case kClassComplex:
      if (op == kOpReal || op == kOpImag) return PartOf(to, op == kOpReal ? x.z.re : x.z.im);
      if constexpr (HasClass(kClassComplex)) {
        if (op == kOpAbs) return FromDouble(to, Hypot(x.z.re, x.z.im));
        r.z = RoundedComplex(type, ComplexUnary(op, x.z));
      } else {
        NotUsed();
      }
      break;
    default:
      if constexpr (HasIntegers()) {
        r.u = IntegerUnary(op, type, x.u);
      } else {
        NotUsed();
      }
  }
  return r;
}

HL_CALL Value Binary(int op, int type, Value x, Value y, int math = kMathDouble) {
  Value r;
  switch (ClassOf(type)) {
    case kClassFloat:
      r.f = Rounded(type, RealBinary(op, x.f, y.f, type, math));
      break;
    case kClassDouble:
      if constexpr (HasClass(kClassDouble)) {
        r.d = RealBinary(op, x.d, y.d, type, math);
      } else {
        NotUsed();
      }
      break;
    case kClassComplex:
      if constexpr (HasClass(kClassComplex)) {
        r.z = RoundedComplex(type, ComplexBinary(op, x.z, y.z));
      } else {
        NotUsed();
      }
      break;
    default:
      if constexpr (HasIntegers()) {
        r.u = IntegerBinary(op, type, x.u, y.u);
      } else {
        NotUsed();
      }
  }
  return r;
}

HL_FN Value MakeComplex(int type, Value x, Value y) {
  Value r;
  if (type == kF64) {
    r.z = {x.d, y.d};
  } else {
    r.z = {Widened(x.f), Widened(y.f)};
  }
  return r;
}

HL_CALL bool Compare(int direction, int type, Value x, Value y) {
  switch (ClassOf(type)) {
    case kClassFloat:
      return Relation(direction, x.f, y.f);
    case kClassDouble:
      return Relation(direction, x.d, y.d);
    case kClassComplex:
      return (x.z.re == y.z.re && x.z.im == y.z.im) == (direction == kEq);
    default:
      return IntegerRelation(direction, ClassOf(type) == kClassSigned, x.u, y.u);
  }
}
// Compares by total order: the bits as sign and magnitude.
HL_CALL bool CompareTotal(int direction, int type, Value x, Value y) {
  if (ClassOf(type) != kClassFloat && ClassOf(type) != kClassDouble) {
    return Compare(direction, type, x, y);
  }
  const u64 sign = SignCode(FormatOf(type)), a = ToBits(type, x), b = ToBits(type, y);
  const i64 p = (a & sign) != 0 ? -1 - static_cast<i64>(a & ~sign) : static_cast<i64>(a);
  const i64 q = (b & sign) != 0 ? -1 - static_cast<i64>(b & ~sign) : static_cast<i64>(b);
  return Relation(direction, p, q);
}

HL_FN Value Clamp(int type, Value least, Value x, Value most) {
  return Binary(kOpMinimum, type, Binary(kOpMaximum, type, least, x), most);
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_APPLY_H_
