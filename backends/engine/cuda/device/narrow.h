// SPDX-License-Identifier: Apache-2.0
// Floats narrower than f32. Decoding to f32 is exact. Encoding rounds once, to nearest, ties to
// even.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_NARROW_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_NARROW_H_

#include "backends/engine/cuda/device/used.h"

namespace hl {

HL_FN u64 InfinityCode(const Format& f) {
  return ((1ull << f.exponent_bits) - 1) << f.mantissa_bits;
}
HL_FN u64 SignCode(const Format& f) {
  return f.special == kAllOnes ? 0 : 1ull << (f.exponent_bits + f.mantissa_bits);
}
HL_FN u64 LargestCode(const Format& f) {
  const u64 all = (1ull << (f.exponent_bits + f.mantissa_bits)) - 1;
  if (f.special == kIeee) return InfinityCode(f) - 1;
  return f.special == kNanOnly || f.special == kAllOnes ? all - 1 : all;
}
// Returns the code of a NaN, with this sign if possible. Returns -0 for formats without NaN.
HL_FN u64 NanCode(const Format& f, u64 sign) {
  switch (f.special) {
    case kIeee:
      return sign | InfinityCode(f) | 1ull << (f.mantissa_bits - 1);
    case kNanOnly:
      return sign | ((1ull << (f.exponent_bits + f.mantissa_bits)) - 1);
    case kAllOnes:
      return 255;
    default:
      return SignCode(f);
  }
}
HL_FN u64 OverflowCode(const Format& f, u64 sign) {
  if (f.special == kIeee) return sign | InfinityCode(f);
  return f.special == kNothing ? sign | LargestCode(f) : NanCode(f, sign);
}

HL_FN bool IsNanCode(const Format& f, u64 code) {
  const u64 size = code & ~SignCode(f);
  switch (f.special) {
    case kIeee:
      return size > InfinityCode(f);
    case kNanOnly:
    case kAllOnes:
      return size == NanCode(f, 0);
    case kNegZero:
      return code == SignCode(f);
    default:
      return false;
  }
}

// Decodes f16 without branches, because f16 is as common as f32. A GPU's instruction for this
// conversion does not keep a NaN's payload.
HL_FN float DecodeHalf(u32 code) {
  const u32 sign = (code & 0x8000) << 16, size = code & 0x7fff, mantissa = code & 0x3ff;
#ifdef __CUDA_ARCH__
  float number;
  asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(static_cast<unsigned short>(code)));
  return size > 0x7c00 ? FloatOfBits(sign | 0x7f800000u | mantissa << 13) : number;
#else
  const float tiny = static_cast<float>(mantissa) * FloatOfBits(103u << 23);
  const u32 special = size >= 0x7c00 ? 0x7f800000u | mantissa << 13 : (size << 13) + (112u << 23);
  return FloatOfBits(sign | (size < 0x400 ? BitsOfFloat(tiny) : special));
#endif
}
HL_FN u32 EncodeHalf(float x) {
  const u32 bits = BitsOfFloat(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  const u32 payload = size >> 13 & 0x3ff;
  const u32 nan = 0x7c00 | (payload != 0 ? payload : 0x200);
#ifdef __CUDA_ARCH__
  unsigned short number;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(number) : "f"(x));
  return size > 0x7f800000u ? sign | nan : number;
#else
  // The unit in the last place of 0.5f equals the smallest f16.
  const u32 tiny = BitsOfFloat(FloatOfBits(size) + 0.5f) - BitsOfFloat(0.5f);
  const u32 normal = (size - (112u << 23) + 0xfff + (size >> 13 & 1)) >> 13;
  const u32 finite = size < (113u << 23) ? tiny : normal;
  return sign | (size > 0x7f800000u ? nan : size >= 0x477ff000u ? 0x7c00 : finite);
#endif
}
HL_FN u32 EncodeBf16(float x) {
  const u32 bits = BitsOfFloat(x);
  const u32 nan = bits >> 16 | ((bits & 0x7f0000) != 0 ? 0u : 0x40u);
  return (bits & 0x7fffffff) > 0x7f800000u ? nan : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

// A NaN's payload is in the upper bits of the f32, so a value that is only moved keeps its bits.
HL_CALL float DecodeFloat8Or4(int type, u32 code) {
  const Format f = FormatOf(type);
  const u32 sign = (code & SignCode(f)) != 0 ? 0x80000000u : 0;
  const u32 mantissa = code & ((1u << f.mantissa_bits) - 1);
  if (IsNanCode(f, code)) {
    const u32 payload = f.special == kIeee ? mantissa << (23 - f.mantissa_bits) : 0x400000u;
    return FloatOfBits(sign | 0x7f800000u | payload);
  }
  const int exponent = static_cast<int>((code & ~SignCode(f)) >> f.mantissa_bits);
  if (f.special == kIeee && exponent == (1 << f.exponent_bits) - 1) {
    return FloatOfBits(sign | 0x7f800000u);
  }
  if (f.special == kAllOnes) return FloatOfBits(exponent == 0 ? 0x400000u : exponent << 23);
  const int lowest = 1 - f.bias - f.mantissa_bits;
  const float unit = FloatOfBits(static_cast<u32>(lowest + 127) << 23);
  if (exponent == 0) {
    const float size = static_cast<float>(mantissa) * unit;
    return sign != 0 ? -size : size;
  }
  return FloatOfBits(sign | static_cast<u32>(exponent - f.bias + 127) << 23 |
                     mantissa << (23 - f.mantissa_bits));
}

HL_CALL float Decode(int type, u32 code) {
  if (type == kBF16) return FloatOfBits(code << 16);
  if constexpr (HasType(kF16)) {
    if (type == kF16) return DecodeHalf(code);
  }
  if constexpr (HasFloatsBelow(16)) return DecodeFloat8Or4(type, code);
  NotUsed();
  return 0;
}

// Encodes f8e8m0fnu, whose numbers are powers of two. Negative numbers become NaN.
HL_FN u64 EncodePowerOfTwo(double x) {
  if (!(x >= 0)) return 255;
  if (x == 0) return 0;
  if (IsInf(x)) return 255;
  const u64 raw = BitsOfDouble(x), mantissa = raw & 0xfffffffffffffull, half = 1ull << 51;
  if (raw >> 52 == 0) return 0;
  i64 code = static_cast<i64>(raw >> 52) - 1023 + 127;
  if (mantissa > half || (mantissa == half && (code & 1) != 0)) ++code;
  if (code < 0) return 0;
  return code > 254 ? 255 : static_cast<u64>(code);
}

HL_FN u64 ShiftedToEven(u64 x, int shift) {
  if (shift > 63) return 0;
  const u64 kept = x >> shift, rest = x & ((1ull << shift) - 1), half = 1ull << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
}

// Encodes a double in any format narrower than f64.
HL_CALL u64 EncodeDouble(int type, double x) {
  const Format f = FormatOf(type);
  if (f.special == kAllOnes) return EncodePowerOfTwo(x);
  const u64 raw = BitsOfDouble(x), mantissa = raw & 0xfffffffffffffull;
  const u64 sign = raw >> 63 != 0 ? SignCode(f) : 0;
  const u64 zero = f.special == kNegZero ? 0 : sign;
  const int exponent = static_cast<int>(raw >> 52 & 2047) - 1023;
  if (exponent == 1024) return mantissa != 0 ? NanCode(f, sign) : OverflowCode(f, sign);
  if (exponent == -1023) return zero;
  const int below = exponent < 1 - f.bias ? 1 - f.bias - exponent : 0;
  const u64 rounded = ShiftedToEven(mantissa | 1ull << 52, 52 - f.mantissa_bits + below);
  const u64 code =
      below != 0 ? rounded : (static_cast<u64>(exponent + f.bias - 1) << f.mantissa_bits) + rounded;
  if (code == 0) return zero;
  return code > LargestCode(f) ? OverflowCode(f, sign) : sign | code;
}

HL_CALL u64 EncodeFloat8Or4(int type, float x) {
  if (!IsNan(x)) return EncodeDouble(type, static_cast<double>(x));
  const Format f = FormatOf(type);
  const u32 bits = BitsOfFloat(x);
  const u64 sign = bits >> 31 != 0 ? SignCode(f) : 0;
  if (f.special != kIeee) return NanCode(f, sign);
  const u64 payload = (bits & 0x7fffffu) >> (23 - f.mantissa_bits);
  return payload != 0 ? sign | InfinityCode(f) | payload : NanCode(f, sign);
}

HL_CALL u64 Encode(int type, float x) {
  if (type == kBF16) return EncodeBf16(x);
  if constexpr (HasType(kF16)) {
    if (type == kF16) return EncodeHalf(x);
  }
  if constexpr (HasFloatsBelow(16)) return EncodeFloat8Or4(type, x);
  NotUsed();
  return 0;
}

// Returns the nearest number of a float type, with one rounding.
HL_CALL float RoundedOnce(int type, double x) {
  if (type == kF32) return ToFloat(x);
  if constexpr (HasFloatsBelow(32)) return Decode(type, static_cast<u32>(EncodeDouble(type, x)));
  NotUsed();
  return 0;
}

// Rounds a float to the precision of the type.
HL_FN float Rounded(int type, float x) {
  return type == kF32 ? x : Decode(type, static_cast<u32>(Encode(type, x)));
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_NARROW_H_
