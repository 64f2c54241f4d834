// SPDX-License-Identifier: Apache-2.0
// The floating-point formats of HLO, as data: decoding of bits, and rounding of a real value to
// bits (to nearest, ties to even).
//
// f16, f8e5m2, f8e4m3 and f8e3m4 have the layout of IEEE 754. The *fn formats have no infinity. The
// *fnuz formats also have no negative zero: its bits are the NaN. f8e8m0fnu is a power of two.
#pragma once

#include <cstdint>

#include "spec/ir/primitive_type.h"

namespace hlocts {

enum class NonFinite : uint8_t {
  kIeee,     // an exponent of all ones means infinity or NaN
  kNanOnly,  // *fn: NaN has all bits but the sign set, and there is no infinity
  kNegZero,  // *fnuz: the bits of -0 are the only NaN
  kAllOnes,  // f8e8m0fnu: NaN has all bits set
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
  // Returns the exponent of the smallest normal number.
  int exponent_min() const { return has_zero ? 1 - bias : -bias; }
  bool has_infinity() const { return non_finite == NonFinite::kIeee; }
  bool has_nan() const { return non_finite != NonFinite::kNone; }
  bool has_negative_zero() const {
    return has_sign && has_zero && non_finite != NonFinite::kNegZero;
  }
  uint64_t sign_mask() const { return has_sign ? uint64_t{1} << (width() - 1) : 0; }
  // Returns the code of the largest finite value, with sign bit 0.
  uint64_t max_finite_bits() const;
  // Returns a quiet NaN, with sign bit 0 unless the only NaN has sign bit 1; 0 if there is no NaN.
  uint64_t nan_bits() const;
  // Returns positive infinity. Requires has_infinity().
  uint64_t infinity_bits() const;
  double max_finite() const;
  double min_normal() const;
  double min_positive() const;  // the least subnormal, or min_normal without subnormals
};

// Returns the format of any float type, including f32 and f64.
const FloatFormat& FormatOf(PrimitiveType type);

// The result for a magnitude that rounds beyond the largest finite value.
enum class Overflow : uint8_t {
  kNatural,   // infinity if the format has it, else NaN, else the largest finite value
  kSaturate,  // the largest finite value
};

bool IsNanBits(const FloatFormat& format, uint64_t bits);
bool IsInfinityBits(const FloatFormat& format, uint64_t bits);

// Returns the exact value. NaN payloads are kept only for f64, whose bits are reinterpreted.
double DecodeFloat(const FloatFormat& format, uint64_t bits);
// Returns the code nearest to `value`, ties to even. NaN yields nan_bits(), with the sign of
// `value` if the format has signed NaNs; in f4e2m1fn it yields negative zero. For f8e8m0fnu see
// ruling 0035.
uint64_t EncodeFloat(const FloatFormat& format, double value,
                     Overflow overflow = Overflow::kNatural);

// Decodes the formats of at most 16 bits with a table.
float DecodeNarrow(PrimitiveType type, uint16_t bits);

}  // namespace hlocts
