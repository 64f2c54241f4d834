// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/special_elements.h"

#include "spec/ir/float_format.h"

namespace hlocts::plan {
namespace {

std::optional<uint64_t> FloatBits(SpecialElement special, const FloatFormat& format) {
  switch (special) {
    case SpecialElement::kZero:
      return format.has_zero ? std::optional<uint64_t>(0) : std::nullopt;
    case SpecialElement::kMinusZero:
      return format.has_negative_zero() ? std::optional(format.sign_mask()) : std::nullopt;
    case SpecialElement::kOne:
      return static_cast<uint64_t>(format.bias) << format.mantissa_bits;
    case SpecialElement::kInfinite:
    case SpecialElement::kMinusInfinite:
      if (!format.has_infinity()) return std::nullopt;
      return format.infinity_bits() |
             (special == SpecialElement::kInfinite ? 0 : format.sign_mask());
    default:
      return std::nullopt;
  }
}

// Returns the bits of an integer. `mask` has all bits of the type, `lowest` is the least number.
std::optional<uint64_t> IntegerBits(SpecialElement special, uint64_t mask, uint64_t lowest) {
  switch (special) {
    case SpecialElement::kZero:
      return 0;
    case SpecialElement::kOne:
      // A signed integer type of one bit does not contain 1.
      return lowest == 1 ? std::nullopt : std::optional<uint64_t>(1);
    case SpecialElement::kOnes:
      return mask;
    case SpecialElement::kLowest:
      return lowest;
    case SpecialElement::kLargest:
      return lowest ^ mask;
    default:
      return std::nullopt;
  }
}

}  // namespace

uint64_t MaskOf(PrimitiveType type) { return ~uint64_t{0} >> (64 - BitWidth(type)); }

std::optional<uint64_t> BitsOf(SpecialElement special, PrimitiveType type) {
  if (IsFloat(type)) return FloatBits(special, FormatOf(type));
  const uint64_t mask = type == PrimitiveType::kPred ? 1 : MaskOf(type);
  return IntegerBits(special, mask, IsSigned(type) ? (mask >> 1) + 1 : 0);
}

}  // namespace hlocts::plan
