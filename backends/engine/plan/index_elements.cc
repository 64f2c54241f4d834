// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/index_elements.h"

#include <utility>

#include "spec/ir/element_width.h"

namespace hlocts::plan {

int64_t IndexAt(PrimitiveType type, const uint8_t* elements, int64_t i) {
  return VisitInteger(type, [&](auto zero) {
    const auto value = reinterpret_cast<const decltype(zero)*>(elements)[i];
    return std::in_range<int64_t>(value) ? static_cast<int64_t>(value) : INT64_MAX;
  });
}

std::vector<int64_t> IndicesOf(PrimitiveType type, const uint8_t* elements, int64_t count) {
  std::vector<int64_t> indices(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) indices[i] = IndexAt(type, elements, i);
  return indices;
}

}  // namespace hlocts::plan
