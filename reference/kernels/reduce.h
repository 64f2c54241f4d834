// SPDX-License-Identifier: Apache-2.0
// Defines which operand elements each result element reduces (reduce.*; rulings 0019-0021).
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace hlocts::reference {

struct StridedDimension {
  int64_t size = 1;
  int64_t stride = 0;
};

// The operand's strides, in elements. Adjacent contiguous dimensions are merged.
struct ReduceGeometry {
  std::vector<StridedDimension> kept;     // in the result's order, the fastest last
  std::vector<StridedDimension> reduced;  // the fastest last
  int64_t result_count = 1;
  int64_t reduced_count = 1;
};
ReduceGeometry ReduceGeometryOf(absl::Span<const int64_t> operand,
                                absl::Span<const int64_t> dimensions);

// Calls visit(offset) for every index of `dims` in row-major order.
template <typename Visit>
void ForEachOffset(absl::Span<const StridedDimension> dims, int64_t base, Visit&& visit) {
  for (const StridedDimension& d : dims) {
    if (d.size <= 0) return;
  }
  if (dims.empty()) {
    visit(base);
    return;
  }
  StridedDimension run = dims.back();
  dims.remove_suffix(1);
  std::vector<int64_t> index(dims.size(), 0);
  while (true) {
    for (int64_t i = 0; i < run.size; ++i) visit(base + i * run.stride);
    int64_t d = static_cast<int64_t>(dims.size()) - 1;
    for (; d >= 0; --d) {
      base += dims[d].stride;
      if (++index[d] < dims[d].size) break;
      base -= dims[d].stride * dims[d].size;
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

// For each result element, adds the reduced elements to a new accumulator in row-major order.
// new_accumulator() returns an object with Add(const Element&) and Finish(), such as
// system.NewSum() for sums.
template <class Element, class NewAccumulator>
void ReduceKernel(const ReduceGeometry& geometry, absl::Span<const Element> operand,
                  const NewAccumulator& new_accumulator, absl::Span<Element> out) {
  int64_t next = 0;
  ForEachOffset(geometry.kept, 0, [&](int64_t base) {
    auto accumulator = new_accumulator();
    ForEachOffset(geometry.reduced, base, [&](int64_t at) { accumulator.Add(operand[at]); });
    out[next++] = accumulator.Finish();
  });
}

}  // namespace hlocts::reference
