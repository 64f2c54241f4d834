// SPDX-License-Identifier: Apache-2.0
// Implements reduce-window. Each output element reduces the elements of one window of the base
// area, in row-major order of the window, without padding and holes (reduce_window.1-4, 25-29;
// rulings 0019, 0049).
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

}  // namespace hlocts::reference
