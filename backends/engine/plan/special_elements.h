// SPDX-License-Identifier: Apache-2.0
// The bits of elements for which algebra has special rules: 1, both zeros, all bits set, the least
// and the greatest integer, and both infinities.
#pragma once

#include <cstdint>
#include <optional>

#include "spec/ir/primitive_type.h"

namespace hlocts::plan {

enum class SpecialElement : uint8_t {
  kZero,
  kMinusZero,
  kOne,
  kOnes,    // all bits set; true for pred
  kLowest,  // kLowest and kLargest: integers only
  kLargest,
  kInfinite,
  kMinusInfinite
};

// Returns the mask of all bits of an element. The type must have at most 64 bits.
uint64_t MaskOf(PrimitiveType type);
// Returns the bits of the element, or nullopt if the type has no such element.
std::optional<uint64_t> BitsOf(SpecialElement special, PrimitiveType type);

}  // namespace hlocts::plan
