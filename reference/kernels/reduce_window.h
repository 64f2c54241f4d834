// SPDX-License-Identifier: Apache-2.0
// Implements reduce-window. Each output element combines the elements under one window in row-major
// order, skipping padding and holes (reduce_window.1-4, 25-29; rulings 0019, 0049).
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "reference/kernels/window_geometry.h"
#include "spec/ir/index_util.h"

namespace hlocts::reference {

// Calls visit(output index, position) for every output element in row-major order.
template <typename Visit>
void ForEachWindow(const WindowGeometry& geometry, Visit&& visit) {
  int64_t next = 0;
  ForEachIndex(geometry.output_dimensions,
               [&](absl::Span<const int64_t> position) { visit(next++, position); });
}

// Reduces each window. new_accumulator() returns an object with Add(const Element&) and Finish()
// that already includes the init value, such as system.NewSum() after Add(init) for sums.
template <class Element, class NewAccumulator>
void ReduceWindowKernel(const WindowGeometry& geometry, absl::Span<const Element> operand,
                        const NewAccumulator& new_accumulator, absl::Span<Element> out) {
  ForEachWindow(geometry, [&](int64_t result, absl::Span<const int64_t> position) {
    auto accumulator = new_accumulator();
    ForEachWindowRun(geometry, position, [&](int64_t first, int64_t count, int64_t step) {
      for (int64_t i = 0; i < count; ++i) accumulator.Add(operand[first + i * step]);
    });
    out[result] = accumulator.Finish();
  });
}

// Implements the selection of select-and-scatter: each window of the operand selects one element,
// and the window's source element is scattered to its index (select_and_scatter.1-14; ruling 0050).

// Returns the linear operand index that each window selects, in order of the source, or -1 if the
// window contains only padding. keeps(a, b) applies `select` to the element at index a, which is
// selected so far, and the element at b, which is later in the window. It returns true to keep a.
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
