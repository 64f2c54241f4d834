// SPDX-License-Identifier: Apache-2.0
// Computes the elements of the base area under a window at each position, as arithmetic
// progressions.
//
// Convolution, reduce-window and select-and-scatter share this code in every number system. It
// resolves padding, dilations and strides once for each dimension and position, so kernels visit
// only existing elements (rulings 0049-0051: dilate, then pad; holes and padding are absent).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "spec/ir/attributes.h"
#include "spec/ir/index_util.h"

namespace hlocts::reference {

// The base elements under the window at one position of one dimension. Tap first_tap + k * tap_step
// is over base element first_base + k * base_step.
struct WindowPosition {
  int64_t first_tap = 0;
  int64_t first_base = 0;
  int64_t count = 0;
};

struct WindowAxis {
  std::vector<WindowPosition> positions;  // one for each output element of the dimension
  int64_t tap_step = 1;
  int64_t base_step = 1;
};

// Returns the positions along one dimension. Taps are numbered in window order; the caller handles
// window_reversal when it indexes the kernel.
WindowAxis MakeWindowAxis(int64_t base_size, int64_t output_size, const WindowDimension& window);

// A window over all dimensions of an array, for reduce-window and select-and-scatter.
struct WindowGeometry {
  std::vector<int64_t> output_dimensions;
  std::vector<int64_t> base_strides;  // row-major strides of the base area
  std::vector<WindowAxis> axes;
};

// Returns the number of bytes that the geometry will use, saturated. Callers must reserve this
// memory before they make the geometry, because padding can make it large even for a small base
// area.
int64_t WindowGeometryBytes(absl::Span<const int64_t> base_dimensions, const Window& window);
// Returns the geometry; dimensions that the window does not list have size 1 and stride 1.
WindowGeometry MakeWindowGeometry(absl::Span<const int64_t> base_dimensions, const Window& window);

// Calls visit(first, count, step) for runs of linear base indices under the window at `position` (a
// multi-dimensional output index), in row-major order of the window.
template <typename Visit>
void ForEachWindowRun(const WindowGeometry& geometry, absl::Span<const int64_t> position,
                      Visit&& visit) {
  const int64_t rank = static_cast<int64_t>(geometry.axes.size());
  if (rank == 0) {
    visit(int64_t{0}, int64_t{1}, int64_t{1});
    return;
  }
  int64_t linear = 0;
  for (int64_t d = 0; d < rank; ++d) {
    const WindowPosition& at = geometry.axes[d].positions[position[d]];
    if (at.count == 0) return;
    linear += at.first_base * geometry.base_strides[d];
  }
  absl::InlinedVector<int64_t, 8> done(rank, 0);
  const int64_t inner = rank - 1;
  const int64_t inner_count = geometry.axes[inner].positions[position[inner]].count;
  const int64_t inner_step = geometry.axes[inner].base_step * geometry.base_strides[inner];
  while (true) {
    visit(linear, inner_count, inner_step);
    int64_t d = inner - 1;
    for (; d >= 0; --d) {
      const WindowAxis& axis = geometry.axes[d];
      const int64_t step = axis.base_step * geometry.base_strides[d];
      linear += step;
      if (++done[d] < axis.positions[position[d]].count) break;
      linear -= done[d] * step;
      done[d] = 0;
    }
    if (d < 0) return;
  }
}

// Visits windows that grow from position to position, as in cumulative sums. Each window consists
// of the previous one and a few more elements, so one pass over the array suffices.

// Windows that grow along `axis` and contain at most one element along every other dimension. If
// `backwards`, they grow at their front, from the last position to the first.
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
