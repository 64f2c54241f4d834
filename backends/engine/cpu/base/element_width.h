// SPDX-License-Identifier: Apache-2.0
// Elements of which only the width matters, as integers.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_BASE_ELEMENT_WIDTH_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_BASE_ELEMENT_WIDTH_H_

#include <cstdint>

namespace hlocts::cpu {

struct Wide {
  uint64_t low, high;
};

// visit(T{}) for the type of so many bytes: 1, 2, 4, 8 or 16.
template <class Visit>
void VisitWidth(int width, Visit&& visit) {
  switch (width) {
    case 1:
      return visit(uint8_t{});
    case 2:
      return visit(uint16_t{});
    case 4:
      return visit(uint32_t{});
    case 8:
      return visit(uint64_t{});
    default:
      return visit(Wide{});
  }
}

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_BASE_ELEMENT_WIDTH_H_
