// SPDX-License-Identifier: Apache-2.0
// Visits windows that grow from position to position, as in cumulative sums. Each window is the
// previous one with a few more elements, so one pass over the array is enough.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/kernels/window_geometry.h"
#include "spec/ir/index_util.h"

namespace hlocts::reference {

// Windows that grow along `axis` and contain at most one element of every other dimension. Windows
// with `backwards` grow at their front, from the last position to the first.
struct GrowingWindows {
  int64_t axis = 0;
  bool backwards = false;
};
// Returns nullopt if the windows do not grow or the largest is too small to save time.
std::optional<GrowingWindows> GrowingWindowsOf(const WindowGeometry& geometry);

// Visits each row of positions along the axis. Calls begin() once per row. For each position it
// calls add(linear base index) for each new element of the window, in row-major order unless the
// windows grow backwards, then finish(linear output index).
template <typename Begin, typename Add, typename Finish>
void ForEachGrowingWindow(const WindowGeometry& geometry, const GrowingWindows& growing,
                          const Begin& begin, const Add& add, const Finish& finish) {
  const WindowAxis& axis = geometry.axes[growing.axis];
  const int64_t size = geometry.output_dimensions[growing.axis];
  const std::vector<int64_t> strides = RowMajorStrides(geometry.output_dimensions);
  std::vector<int64_t> lines = geometry.output_dimensions;
  lines[growing.axis] = std::min<int64_t>(size, 1);
  ForEachIndex(lines, [&](absl::Span<const int64_t> line) {
    int64_t base = 0;
    bool sees = true;
    for (int64_t d = 0; d < static_cast<int64_t>(lines.size()); ++d) {
      if (d == growing.axis) continue;
      const WindowPosition& at = geometry.axes[d].positions[line[d]];
      sees = sees && at.count > 0;
      base += at.first_base * geometry.base_strides[d];
    }
    begin();
    int64_t seen = 0;
    for (int64_t k = 0; k < size; ++k) {
      const int64_t position = growing.backwards ? size - 1 - k : k;
      const WindowPosition& at = axis.positions[position];
      const int64_t fresh = sees ? at.count - seen : 0;
      int64_t element = at.first_base + (growing.backwards ? 0 : seen * axis.base_step);
      for (int64_t i = 0; i < fresh; ++i, element += axis.base_step) {
        add(base + element * geometry.base_strides[growing.axis]);
      }
      seen += fresh;
      finish(LinearIndex(line, strides) + position * strides[growing.axis]);
    }
  });
}

}  // namespace hlocts::reference
