// SPDX-License-Identifier: Apache-2.0
// The floating-point formats of HLO that are narrower than f32, as data: decoding of bits, and
// rounding of a real value to bits (to nearest, ties to even).
//
// f16 and f8e5m2, f8e4m3, f8e3m4 follow IEEE 754's layout; the *fn formats have no infinity, the
// *fnuz formats in addition no negative zero (its bits are the NaN); f8e8m0fnu is a power of two.
#ifndef HLOCTS_SPEC_IR_FLOAT_FORMAT_H_
#define HLOCTS_SPEC_IR_FLOAT_FORMAT_H_

#include <cstdint>

#include "spec/ir/primitive_type.h"

namespace hlocts {

enum class NonFinite : uint8_t {
  kIeee,     // the all-ones exponent is infinity and NaN
  kNanOnly,  // *fn: all bits but the sign set is NaN, no infinity
  kNegZero,  // *fnuz: the bits of -0 are the only NaN
  kAllOnes,  // f8e8m0fnu: all ones is NaN
  kNone,     // f4e2m1fn: every code is finite
};

struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;  // stored bits: the precision p is mantissa_bits + 1
  int bias;
  NonFinite non_finite;
  bool has_sign;
  bool has_zero;

  int width() const { return exponent_bits + mantissa_bits + (has_sign ? 1 : 0); }
  int precision() const { return mantissa_bits + 1; }
  // Exponent of the smallest normal number.
  int exponent_min() const { return has_zero ? 1 - bias : -bias; }
  bool has_infinity() const { return non_finite == NonFinite::kIeee; }
  bool has_nan() const { return non_finite != NonFinite::kNone; }
  bool has_negative_zero() const {
    return has_sign && has_zero && non_finite != NonFinite::kNegZero;
  }
  uint64_t sign_mask() const { return has_sign ? uint64_t{1} << (width() - 1) : 0; }
  // Code of the largest finite value (sign bit clear).
  uint64_t max_finite_bits() const;
  // A quiet NaN (sign bit clear where there is one to choose); 0 if the format has none.
  uint64_t nan_bits() const;
  // Positive infinity; only if has_infinity().
  uint64_t infinity_bits() const;
  double max_finite() const;
  double min_normal() const;
  double min_positive() const;  // the least subnormal, or min_normal without subnormals
};

// The format of any float type, f32 and f64 included.
const FloatFormat& FormatOf(PrimitiveType type);

// The result for a magnitude that rounds beyond the largest finite value.
enum class Overflow : uint8_t {
  kNatural,   // infinity if the format has it, else NaN, else the largest finite value
  kSaturate,  // the largest finite value
};

bool IsNanBits(const FloatFormat& format, uint64_t bits);
bool IsInfinityBits(const FloatFormat& format, uint64_t bits);

// Exact for every format except f64's own bits reinterpreted; NaN payloads are not kept.
double DecodeFloat(const FloatFormat& format, uint64_t bits);
// The code nearest to `value`, ties to even; NaN gives nan_bits() with the sign of `value` where
// the format has signed NaNs (f4e2m1fn, without NaN: its negative zero; f8e8m0fnu: see ruling on
// f8).
uint64_t EncodeFloat(const FloatFormat& format, double value,
                     Overflow overflow = Overflow::kNatural);

// Table-driven for the 16-bit and narrower formats.
float DecodeNarrow(PrimitiveType type, uint16_t bits);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_FLOAT_FORMAT_H_
