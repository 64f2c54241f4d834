// SPDX-License-Identifier: Apache-2.0
// Implements the selection of select-and-scatter: each window of the operand selects one element,
// and the window's source element is scattered to its index (select_and_scatter.1-14; ruling 0050).
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "reference/kernels/reduce_window.h"

namespace hlocts::reference {

// Returns the linear operand index that each window selects, in order of the source, or -1 if the
// window contains only padding. keeps(a, b) applies `select` to the elements at index a, selected
// so far, and b, which comes later in the window; it returns true to keep a.
template <class Keeps>
std::vector<int64_t> SelectElements(const WindowGeometry& geometry, Keeps&& keeps) {
  std::vector<int64_t> selected;
  ForEachWindow(geometry, [&](int64_t, absl::Span<const int64_t> position) {
    int64_t best = -1;
    ForEachWindowRun(geometry, position, [&](int64_t first, int64_t count, int64_t step) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t next = first + i * step;
        if (best < 0 || !keeps(best, next)) best = next;
      }
    });
    selected.push_back(best);
  });
  return selected;
}

}  // namespace hlocts::reference
