// SPDX-License-Identifier: Apache-2.0
// Converts between linear and multi-dimensional indices, in row-major order or for any layout.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/layout.h"

namespace hlocts {

// Returns the row-major strides: strides[d] is the distance of two neighbours along dimension d.
// The unit is one element, or a byte if `innermost` is the size of an element. A stride that does
// not fit is INT64_MAX, which happens only in arrays without elements.
std::vector<int64_t> RowMajorStrides(absl::Span<const int64_t> dimensions, int64_t innermost = 1);
// Returns the strides for a layout; padded_dimensions, if present, determine them (ruling 0017).
std::vector<int64_t> LayoutStrides(absl::Span<const int64_t> dimensions, const Layout& layout);
// Returns the number of elements that the array occupies in memory, padding included (ruling 0017).
int64_t PhysicalElementCount(absl::Span<const int64_t> dimensions, const Layout& layout);

int64_t LinearIndex(absl::Span<const int64_t> index, absl::Span<const int64_t> strides);
std::vector<int64_t> MultiIndex(int64_t linear, absl::Span<const int64_t> dimensions);

// Advances `index` in row-major order. After the last index, returns false and sets it to zeros.
inline bool NextIndex(absl::Span<const int64_t> dimensions, absl::Span<int64_t> index) {
  for (int64_t d = static_cast<int64_t>(dimensions.size()) - 1; d >= 0; --d) {
    if (++index[d] < dimensions[d]) return true;
    index[d] = 0;
  }
  return false;
}

// Calls visit(index) for every index of an array of these dimensions in row-major order.
template <typename Visit>
void ForEachIndex(absl::Span<const int64_t> dimensions, Visit&& visit) {
  for (int64_t d : dimensions) {
    if (d == 0) return;
  }
  std::vector<int64_t> index(dimensions.size(), 0);
  do {
    visit(absl::MakeConstSpan(index));
  } while (NextIndex(dimensions, absl::MakeSpan(index)));
}

}  // namespace hlocts
