// SPDX-License-Identifier: Apache-2.0
// select-and-scatter: from each window of the operand one element is selected; the window's source
// element is scattered to its index (select_and_scatter.1-14; ruling 0050).
#ifndef HLOCTS_REFERENCE_KERNELS_SELECT_AND_SCATTER_H_
#define HLOCTS_REFERENCE_KERNELS_SELECT_AND_SCATTER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "reference/kernels/reduce_window.h"

namespace hlocts::reference {

// For every window, in order of the source: the linear operand index that is selected, -1 when the
// window holds padding only. keeps(a, b) is select applied to the elements at a, selected so far,
// and b, which comes later in the window: true keeps a.
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

#endif  // HLOCTS_REFERENCE_KERNELS_SELECT_AND_SCATTER_H_
