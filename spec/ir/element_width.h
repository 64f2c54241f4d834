// SPDX-License-Identifier: Apache-2.0
// Reads and visits array elements as integers of the same width.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "spec/ir/primitive_type.h"

namespace hlocts {

struct Bytes16 {
  uint64_t low, high;
};

// Returns the stored bytes (at most 8) of an element or component as an integer.
inline uint64_t StoredBits(const uint8_t* element, int64_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, static_cast<size_t>(bytes));  // little-endian, as all our machines
  return bits;
}

// Calls visit(T{}), where T is the unsigned integer type of `bytes` bytes: 1, 2, 4 or 8.
template <class Visit>
auto VisitUnsigned(int bytes, Visit&& visit) {
  switch (bytes) {
    case 1:
      return visit(uint8_t{});
    case 2:
      return visit(uint16_t{});
    case 4:
      return visit(uint32_t{});
    default:
      return visit(uint64_t{});
  }
}

// Like VisitUnsigned, but calls visit(Bytes16{}) for 16 bytes.
template <class Visit>
auto VisitWidth(int bytes, Visit&& visit) {
  return bytes == 16 ? visit(Bytes16{}) : VisitUnsigned(bytes, visit);
}

// Calls visit(T{}), where T is the C++ type in which an integer of type `type` is stored.
template <class Visit>
auto VisitInteger(PrimitiveType type, Visit&& visit) {
  return VisitUnsigned(StorageBytes(type), [&](auto zero) {
    using T = decltype(zero);
    return IsSigned(type) ? visit(std::make_signed_t<T>{}) : visit(T{});
  });
}

}  // namespace hlocts
