// SPDX-License-Identifier: Apache-2.0
// reduce-precision of one element.
#pragma once

#include <cstdint>
#include <type_traits>

#include "spec/ir/float_format.h"

namespace hlocts::cpu {

// Rounds the mantissa to nearest, ties to even, then limits the exponent: overflow becomes
// infinity, and underflow a signed zero. The format must have infinities. The arithmetic is on
// integers, so compilers vectorize it.
template <typename Bits>
class MantissaRounder {
 public:
  MantissaRounder(const FloatFormat& format, int64_t exponent_bits, int64_t mantissa_bits)
      : sign_(static_cast<Bits>(format.sign_mask())),
        infinity_(static_cast<Bits>(format.infinity_bits())),
        quiet_(static_cast<Bits>(uint64_t{1} << (format.mantissa_bits - 1))),
        beyond_(infinity_),
        least_(0) {
    if (mantissa_bits < format.mantissa_bits) {
      dropped_ = static_cast<int>(format.mantissa_bits - mantissa_bits);
      half_ = static_cast<Bits>((uint64_t{1} << (dropped_ - 1)) - 1);
      ties_ = 1;
    }
    if (exponent_bits < format.exponent_bits) {
      const int64_t most = (int64_t{1} << (exponent_bits - 1)) - 1;
      beyond_ = static_cast<Bits>((format.bias + most + 1) << format.mantissa_bits);
      least_ = static_cast<Bits>((format.bias + 1 - most) << format.mantissa_bits);
    }
  }

  [[gnu::always_inline]] Bits operator()(Bits bits) const {
    // Uses signed types, because vector comparisons are signed. Magnitudes are never negative.
    using Signed = std::make_signed_t<Bits>;
    const Bits magnitude = static_cast<Bits>(bits & ~sign_);
    Bits size = static_cast<Bits>(magnitude + half_ + (magnitude >> dropped_ & ties_));
    size = static_cast<Bits>(size >> dropped_ << dropped_);
    size = static_cast<Signed>(size) >= static_cast<Signed>(beyond_) ? infinity_ : size;
    size = static_cast<Signed>(size) < static_cast<Signed>(least_) ? Bits{0} : size;
    const Bits cut = static_cast<Bits>((bits & sign_) | size);
    const Bits nan = static_cast<Bits>(bits | quiet_);
    return static_cast<Signed>(magnitude) > static_cast<Signed>(infinity_) ? nan : cut;
  }

 private:
  Bits sign_, infinity_, quiet_, beyond_, least_;
  Bits half_ = 0, ties_ = 0;
  int dropped_ = 0;
};

}  // namespace hlocts::cpu
