// SPDX-License-Identifier: Apache-2.0
// Encodes elements as unsigned integers that are ordered by a KeyOrder, and decodes them.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "backends/engine/cpu/kernels/sort/sort.h"
#include "spec/ir/element_width.h"
#include "spec/ir/float_format.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

// Maps the bits of an element, of type U, to its key.
template <typename U>
struct KeyCode {
  U flip = 0;  // integers: is XORed with the bits
  U sign = 0;  // floats: the sign bit; 0 if the format has none
  U mask = 0;  // floats with a sign bit: all bits of the format
  bool is_float = false;
  bool joins_zeros = false, joins_nans = false;
  U invert = 0;  // all bits set if descending
  // Magnitudes above this one are NaN. In fnuz formats the only NaN has the bits `sign`.
  U last_number = std::numeric_limits<U>::max();
  bool nan_is_sign = false, has_negative_zero = false;

  bool IsNan(U bits) const {
    return nan_is_sign ? bits == sign : static_cast<U>(bits & ~sign) > last_number;
  }
  bool IsNegativeZero(U bits) const { return has_negative_zero && bits == sign; }

  U Key(U bits) const {
    if (!is_float) return static_cast<U>(bits ^ flip ^ invert);
    if (joins_nans && IsNan(bits)) return static_cast<U>(std::numeric_limits<U>::max() ^ invert);
    if (joins_zeros && IsNegativeZero(bits)) bits = 0;
    if (sign == 0) return static_cast<U>(bits ^ invert);
    const U key = (bits & sign) != 0 ? static_cast<U>(~bits & mask) : static_cast<U>(bits | sign);
    return static_cast<U>(key ^ invert);
  }

  // Returns the bits of the element with this key. No other element may have this key.
  U Bits(U key) const {
    key = static_cast<U>(key ^ invert);
    if (!is_float) return static_cast<U>(key ^ flip);
    if (sign == 0) return key;
    return (key & sign) != 0 ? static_cast<U>(key & ~sign) : static_cast<U>(~key & mask);
  }
};

template <typename U>
KeyCode<U> MakeKeyCode(PrimitiveType type, KeyOrder order, bool descending) {
  KeyCode<U> code;
  if (descending) code.invert = std::numeric_limits<U>::max();
  if (!IsFloat(type)) {
    if (IsSigned(type)) code.flip = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
    return code;
  }
  const FloatFormat& format = FormatOf(type);
  code.is_float = true;
  code.sign = static_cast<U>(format.sign_mask());
  code.mask = static_cast<U>(code.sign | (code.sign - 1));
  code.joins_zeros = order != KeyOrder::kTotal;
  code.joins_nans = order == KeyOrder::kNumeric && format.has_nan();
  code.has_negative_zero = format.has_negative_zero();
  code.nan_is_sign = format.non_finite == NonFinite::kNegZero;
  code.last_number =
      static_cast<U>(format.has_infinity() ? format.infinity_bits() : format.max_finite_bits());
  return code;
}

// Sets keys[i] = Key(from[i * stride]). The compiler can vectorize the loops for the usual codes,
// because this function is inlined for the instruction set of its caller.
template <typename U>
inline __attribute__((always_inline)) void EncodeKeys(const KeyCode<U>& code, const U* from,
                                                      int64_t stride, int64_t count, U* keys) {
  using S = std::make_signed_t<U>;
  constexpr int kTop = 8 * sizeof(U) - 1;
  const U all = std::numeric_limits<U>::max(), invert = code.invert, sign = code.sign;
  const bool joins = code.joins_zeros || code.joins_nans;
  const bool full = code.sign != 0 && code.mask == all;  // the sign bit is the highest bit of U
  if (stride == 1 && !code.is_float) {
    const U flip = static_cast<U>(code.flip ^ invert);
    for (int64_t i = 0; i < count; ++i) keys[i] = static_cast<U>(from[i] ^ flip);
  } else if (stride == 1 && full && !joins) {
    for (int64_t i = 0; i < count; ++i) {
      const U turn = static_cast<U>(static_cast<S>(from[i]) >> kTop);
      keys[i] = static_cast<U>(from[i] ^ (turn | sign) ^ invert);
    }
  } else if (stride == 1 && full && code.has_negative_zero && code.joins_zeros) {
    const U last = code.joins_nans ? code.last_number : all;
    for (int64_t i = 0; i < count; ++i) {
      const U bits = from[i] == sign ? U{0} : from[i];
      const U turn = static_cast<U>(static_cast<S>(bits) >> kTop);
      const U key = static_cast<U>(bits ^ (turn | sign));
      keys[i] = static_cast<U>((static_cast<U>(bits & ~sign) > last ? all : key) ^ invert);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) keys[i] = code.Key(from[i * stride]);
  }
}

}  // namespace hlocts::kernels
