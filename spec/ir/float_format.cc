// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/float_format.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "spec/base/status.h"

namespace hlocts {
namespace {

constexpr FloatFormat kF4E2M1FN = {2, 1, 1, NonFinite::kNone, true, true};
constexpr FloatFormat kF8E3M4 = {3, 4, 3, NonFinite::kIeee, true, true};
constexpr FloatFormat kF8E4M3 = {4, 3, 7, NonFinite::kIeee, true, true};
constexpr FloatFormat kF8E4M3B11FNUZ = {4, 3, 11, NonFinite::kNegZero, true, true};
constexpr FloatFormat kF8E4M3FN = {4, 3, 7, NonFinite::kNanOnly, true, true};
constexpr FloatFormat kF8E4M3FNUZ = {4, 3, 8, NonFinite::kNegZero, true, true};
constexpr FloatFormat kF8E5M2 = {5, 2, 15, NonFinite::kIeee, true, true};
constexpr FloatFormat kF8E5M2FNUZ = {5, 2, 16, NonFinite::kNegZero, true, true};
constexpr FloatFormat kF8E8M0FNU = {8, 0, 127, NonFinite::kAllOnes, false, false};
constexpr FloatFormat kF16 = {5, 10, 15, NonFinite::kIeee, true, true};
constexpr FloatFormat kBF16 = {8, 7, 127, NonFinite::kIeee, true, true};
constexpr FloatFormat kF32 = {8, 23, 127, NonFinite::kIeee, true, true};
constexpr FloatFormat kF64 = {11, 52, 1023, NonFinite::kIeee, true, true};

uint64_t MantissaMask(const FloatFormat& f) { return (uint64_t{1} << f.mantissa_bits) - 1; }
uint64_t ExponentMask(const FloatFormat& f) { return (uint64_t{1} << f.exponent_bits) - 1; }

// Returns value >> shift, rounded to nearest with ties to even.
uint64_t ShiftRightNearestEven(uint64_t value, int shift) {
  if (shift <= 0) return value << -shift;
  if (shift > 63) return 0;
  uint64_t quotient = value >> shift;
  uint64_t remainder = value & ((uint64_t{1} << shift) - 1);
  uint64_t half = uint64_t{1} << (shift - 1);
  if (remainder > half || (remainder == half && (quotient & 1))) ++quotient;
  return quotient;
}

uint64_t OverflowCode(const FloatFormat& f, uint64_t sign, Overflow overflow) {
  if (overflow == Overflow::kSaturate || f.non_finite == NonFinite::kNone) {
    return sign | f.max_finite_bits();
  }
  if (f.has_infinity()) return sign | f.infinity_bits();
  return f.non_finite == NonFinite::kNanOnly ? (sign | f.nan_bits()) : f.nan_bits();
}

uint64_t NanCode(const FloatFormat& f, uint64_t sign) {
  switch (f.non_finite) {
    case NonFinite::kIeee:
    case NonFinite::kNanOnly:
      return sign | f.nan_bits();
    case NonFinite::kNegZero:
    case NonFinite::kAllOnes:
      return f.nan_bits();
    case NonFinite::kNone:
      return f.sign_mask();
  }
  return f.nan_bits();
}

// Encodes f8e8m0fnu, a power of two. Ties go to the even code; zero yields the least power of two.
uint64_t EncodePowerOfTwo(const FloatFormat& f, double value, Overflow overflow) {
  if (std::isnan(value) || value < 0) return f.nan_bits();
  if (value == 0) return 0;
  if (std::isinf(value)) return OverflowCode(f, 0, overflow);
  int exponent;
  double fraction = std::frexp(value, &exponent) * 2;  // in [1, 2)
  int64_t code = int64_t{exponent} - 1 + f.bias;
  if (fraction > 1.5 || (fraction == 1.5 && (code & 1))) ++code;
  if (code < 0) return 0;
  if (code > static_cast<int64_t>(f.max_finite_bits())) return OverflowCode(f, 0, overflow);
  return static_cast<uint64_t>(code);
}

}  // namespace

const FloatFormat& FormatOf(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kF4E2M1FN:
      return kF4E2M1FN;
    case PrimitiveType::kF8E3M4:
      return kF8E3M4;
    case PrimitiveType::kF8E4M3:
      return kF8E4M3;
    case PrimitiveType::kF8E4M3B11FNUZ:
      return kF8E4M3B11FNUZ;
    case PrimitiveType::kF8E4M3FN:
      return kF8E4M3FN;
    case PrimitiveType::kF8E4M3FNUZ:
      return kF8E4M3FNUZ;
    case PrimitiveType::kF8E5M2:
      return kF8E5M2;
    case PrimitiveType::kF8E5M2FNUZ:
      return kF8E5M2FNUZ;
    case PrimitiveType::kF8E8M0FNU:
      return kF8E8M0FNU;
    case PrimitiveType::kF16:
      return kF16;
    case PrimitiveType::kBF16:
      return kBF16;
    case PrimitiveType::kF32:
      return kF32;
    default:
      HLOCTS_CHECK(type == PrimitiveType::kF64);
      return kF64;
  }
}

uint64_t FloatFormat::max_finite_bits() const {
  uint64_t all = (uint64_t{1} << (exponent_bits + mantissa_bits)) - 1;
  switch (non_finite) {
    case NonFinite::kIeee:
      return infinity_bits() - 1;
    case NonFinite::kNanOnly:
    case NonFinite::kAllOnes:
      return all - 1;
    case NonFinite::kNegZero:
    case NonFinite::kNone:
      return all;
  }
  return all;
}

uint64_t FloatFormat::nan_bits() const {
  switch (non_finite) {
    case NonFinite::kIeee:
      return infinity_bits() | (uint64_t{1} << (mantissa_bits - 1));
    case NonFinite::kNanOnly:
    case NonFinite::kAllOnes:
      return (uint64_t{1} << (exponent_bits + mantissa_bits)) - 1;
    case NonFinite::kNegZero:
      return sign_mask();
    case NonFinite::kNone:
      return 0;
  }
  return 0;
}

uint64_t FloatFormat::infinity_bits() const { return ExponentMask(*this) << mantissa_bits; }
double FloatFormat::max_finite() const { return DecodeFloat(*this, max_finite_bits()); }
double FloatFormat::min_normal() const { return std::ldexp(1.0, exponent_min()); }
double FloatFormat::min_positive() const {
  return has_zero ? std::ldexp(1.0, exponent_min() - mantissa_bits) : min_normal();
}

bool IsNanBits(const FloatFormat& f, uint64_t bits) {
  uint64_t magnitude = f.has_sign ? bits & ~f.sign_mask() : bits;
  switch (f.non_finite) {
    case NonFinite::kIeee:
      return magnitude > f.infinity_bits();
    case NonFinite::kNanOnly:
    case NonFinite::kAllOnes:
      return magnitude == f.nan_bits();
    case NonFinite::kNegZero:
      return bits == f.sign_mask();
    case NonFinite::kNone:
      return false;
  }
  return false;
}

bool IsInfinityBits(const FloatFormat& f, uint64_t bits) {
  return f.has_infinity() && (bits & ~f.sign_mask()) == f.infinity_bits();
}

double DecodeFloat(const FloatFormat& f, uint64_t bits) {
  bool negative = f.has_sign && (bits & f.sign_mask());
  if (IsNanBits(f, bits))
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), negative ? -1 : 1);
  if (IsInfinityBits(f, bits)) return negative ? -HUGE_VAL : HUGE_VAL;
  uint64_t mantissa = bits & MantissaMask(f);
  int exponent = static_cast<int>((bits >> f.mantissa_bits) & ExponentMask(f));
  bool subnormal = exponent == 0 && f.has_zero;
  if (!subnormal) mantissa |= uint64_t{1} << f.mantissa_bits;
  double value = std::ldexp(static_cast<double>(mantissa),
                            (subnormal ? f.exponent_min() : exponent - f.bias) - f.mantissa_bits);
  return negative ? -value : value;
}

uint64_t EncodeFloat(const FloatFormat& f, double value, Overflow overflow) {
  if (!f.has_zero) return EncodePowerOfTwo(f, value, overflow);
  uint64_t raw;
  std::memcpy(&raw, &value, sizeof(raw));
  uint64_t sign = (raw >> 63) ? f.sign_mask() : 0;
  int raw_exponent = static_cast<int>((raw >> 52) & 0x7ff);
  uint64_t mantissa = raw & ((uint64_t{1} << 52) - 1);
  if (raw_exponent == 0x7ff) return mantissa ? NanCode(f, sign) : OverflowCode(f, sign, overflow);
  if (raw_exponent == 0) {
    // A subnormal double is below the range of all narrower formats, but not of f64.
    if (f.mantissa_bits == 52) return raw;
    return f.has_negative_zero() ? sign : 0;
  }
  mantissa |= uint64_t{1} << 52;
  int exponent = raw_exponent - 1023;
  int below = exponent < f.exponent_min() ? f.exponent_min() - exponent : 0;
  uint64_t rounded = ShiftRightNearestEven(mantissa, 52 - f.mantissa_bits + below);
  uint64_t code = rounded;  // a subnormal's code is its rounded mantissa (a carry makes it normal)
  if (below == 0) {
    code = (static_cast<uint64_t>(exponent + f.bias) << f.mantissa_bits) + rounded -
           (uint64_t{1} << f.mantissa_bits);
  }
  if (code == 0) return f.has_negative_zero() ? sign : 0;
  if (code > f.max_finite_bits()) return OverflowCode(f, sign, overflow);
  return sign | code;
}

float DecodeNarrow(PrimitiveType type, uint16_t bits) {
  // One table per narrow type, filled on first use, because decoding is the inner loop of the
  // reference. The entries are assembled as integers, since the processor mode of the first caller
  // may flush subnormals.
  struct Tables {
    std::array<std::vector<float>, 64> of;
    Tables() {
      for (PrimitiveType t : AllPrimitiveTypes()) {
        if (!IsFloat(t) || BitWidth(t) > 16) continue;
        std::vector<float>& table = of[static_cast<size_t>(t)];
        table.resize(size_t{1} << (BitWidth(t) < 8 ? 8 : BitWidth(t)));
        size_t mask = (size_t{1} << BitWidth(t)) - 1;
        for (size_t i = 0; i < table.size(); ++i) {
          auto wide = static_cast<uint32_t>(EncodeFloat(kF32, DecodeFloat(FormatOf(t), i & mask)));
          std::memcpy(&table[i], &wide, sizeof(wide));
        }
      }
    }
  };
  static const Tables* tables = new Tables();
  return tables->of[static_cast<size_t>(type)][bits];
}

}  // namespace hlocts
