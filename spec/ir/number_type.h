// SPDX-License-Identifier: Apache-2.0
// Dispatches from PrimitiveType to the C++ arithmetic types.
#pragma once

#include <cstdint>

#include "spec/ir/primitive_type.h"

namespace hlocts {

// Returns visitor(T{}) for a type whose elements are stored as C++ numbers: integers of at least 8
// bits, f32 and f64. Returns Result{} for other types.
template <typename Result, typename Visitor>
constexpr Result VisitNumberType(PrimitiveType type, Visitor&& visitor) {
  switch (type) {
    case PrimitiveType::kS8:
      return visitor(int8_t{});
    case PrimitiveType::kS16:
      return visitor(int16_t{});
    case PrimitiveType::kS32:
      return visitor(int32_t{});
    case PrimitiveType::kS64:
      return visitor(int64_t{});
    case PrimitiveType::kU8:
      return visitor(uint8_t{});
    case PrimitiveType::kU16:
      return visitor(uint16_t{});
    case PrimitiveType::kU32:
      return visitor(uint32_t{});
    case PrimitiveType::kU64:
      return visitor(uint64_t{});
    case PrimitiveType::kF32:
      return visitor(float{});
    case PrimitiveType::kF64:
      return visitor(double{});
    default:
      return Result{};
  }
}

// Maps pred to u8, since its elements are bytes of 0 or 1.
constexpr PrimitiveType PredAsByte(PrimitiveType type) {
  return type == PrimitiveType::kPred ? PrimitiveType::kU8 : type;
}

}  // namespace hlocts
