// SPDX-License-Identifier: Apache-2.0
// Reads and writes a range of an array's elements in memory order. Operations that process an
// operand part by part need less memory for wide copies.
#pragma once

#include <cstring>

#include "spec/ir/literal.h"

namespace hlocts::reference {

// Returns elements [first, first + count) of `array` as an array of rank 1.
inline Literal Part(const Literal& array, int64_t first, int64_t count) {
  Literal part = Literal::Uninitialized(Shape(array.element_type(), {count}));
  const int width = StorageBytes(array.element_type());
  std::memcpy(part.mutable_raw_data(), array.raw_data() + first * width, count * width);
  return part;
}

// Stores `part`, of the same type, at element `first`.
inline void SetPart(const Literal& part, int64_t first, Literal& array) {
  const int width = StorageBytes(array.element_type());
  std::memcpy(array.mutable_raw_data() + first * width, part.raw_data(),
              part.element_count() * width);
}

}  // namespace hlocts::reference
