// SPDX-License-Identifier: Apache-2.0
// Computes where each window of gather and scatter begins in the operand, and the element of the
// other array for each window element (gather.21-29, scatter.36-45; rulings 0010, 0011, 0012).
//
// The "batched" array is gather's output or scatter's updates. Some of its dimensions (batch or
// scatter dimensions) number the windows; the others are the dimensions of a window.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "reference/kernels/copy.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

struct WindowsGeometry {
  std::vector<int64_t> operand_dimensions;
  std::vector<int64_t> operand_strides;
  std::vector<int64_t> window_sizes;  // by operand dimension; 1 if not in the window
  // Copies one window: operand_stride is in the operand, result_stride in the batched array.
  CopyGeometry window;
  std::vector<int64_t> window_dimensions;   // operand dimensions, one for each of window.dims
  std::vector<int64_t> batched_dimensions;  // dimensions of the batched array

  // Sizes of the batch dimensions, which number the windows in row-major order.
  std::vector<int64_t> batch_sizes;
  std::vector<int64_t> batch_strides;  // strides in the batched array
  // Strides of the index vectors: element i of window (g0, g1, ...) is indices[sum
  // g*batch_index_strides + i*vector_stride] and offsets operand dimension index_map[i].
  std::vector<int64_t> batch_index_strides;
  int64_t vector_stride = 0;
  std::vector<int64_t> index_map;
  // Pairs of batching dimensions: operand dimension `first` starts at batch coordinate `second`.
  std::vector<std::pair<int64_t, int64_t>> batching;

  int64_t window_count() const;
};

// Returns the geometry for arrays with these run-time dimensions.
WindowsGeometry GatherGeometryOf(const Instruction& gather, absl::Span<const int64_t> operand,
                                 absl::Span<const int64_t> indices);
WindowsGeometry ScatterGeometryOf(const Instruction& scatter, absl::Span<const int64_t> operand,
                                  absl::Span<const int64_t> indices,
                                  absl::Span<const int64_t> updates);

struct WindowPlace {
  int64_t operand_base = 0;  // linear index of the window's first element
  int64_t batched_base = 0;
  bool inside = true;  // true if the window is entirely inside the operand
  // True if only a box of the window is inside; the bases and `sizes` then describe this box.
  bool partly = false;
  absl::InlinedVector<int64_t, 6> sizes = {};
};

// Returns the position of the window at these batch coordinates. `start` has the window's start in
// every operand dimension.
//   clamp (gather): the start is clamped so that the window is inside, as in dynamic-slice.
//   otherwise (scatter): a window that is not entirely inside is marked and cut to the inside part.
WindowPlace PlaceAt(const WindowsGeometry& geometry, absl::Span<const int64_t> batch,
                    absl::Span<const int64_t> start, bool clamp);

// Calls visit(place) for every window, in row-major order of the batch dimensions. Stops and
// returns false if visit returns false. `indices[i]` is element i of the index array as a
// mathematical value. The start of a window is the index vector's element in dimensions of
// index_map, the batch coordinate in batching dimensions, and 0 in other dimensions.
template <typename Indices, typename Visit>
bool ForEachPlace(const WindowsGeometry& geometry, const Indices& indices, bool clamp,
                  Visit&& visit) {
  if (geometry.window_count() == 0) return true;
  const std::vector<int64_t>& sizes = geometry.batch_sizes;
  std::vector<int64_t> batch(sizes.size(), 0), start(geometry.operand_dimensions.size());
  while (true) {
    std::fill(start.begin(), start.end(), 0);
    int64_t at = 0;
    for (size_t d = 0; d < batch.size(); ++d) at += batch[d] * geometry.batch_index_strides[d];
    for (size_t i = 0; i < geometry.index_map.size(); ++i) {
      start[geometry.index_map[i]] = indices[at + static_cast<int64_t>(i) * geometry.vector_stride];
    }
    for (const auto& [dimension, coordinate] : geometry.batching) {
      start[dimension] = batch[coordinate];
    }
    if (!visit(PlaceAt(geometry, batch, start, clamp))) return false;
    int64_t d = static_cast<int64_t>(sizes.size()) - 1;
    for (; d >= 0 && ++batch[d] == sizes[d]; --d) batch[d] = 0;
    if (d < 0) return true;
  }
}

// Returns the positions of all windows, for repeated use.
std::vector<WindowPlace> PlacesOf(const WindowsGeometry& geometry,
                                  absl::Span<const int64_t> indices, bool clamp);

// Calls visit(operand index, updates index) for every element of a window that is inside the
// operand, in row-major order of the window. Stops and returns false if visit returns false.
template <typename Visit>
bool ForEachUpdate(const WindowsGeometry& geometry, const WindowPlace& place, Visit&& visit) {
  const std::vector<CopyDimension>& dims = geometry.window.dims;
  if (geometry.window.empty() || !(place.inside || place.partly)) return true;
  absl::InlinedVector<int64_t, 6> index(dims.size(), 0);
  int64_t operand = place.operand_base, update = place.batched_base;
  while (true) {
    if (!visit(operand, update)) return false;
    int64_t d = static_cast<int64_t>(dims.size()) - 1;
    for (; d >= 0; --d) {
      operand += dims[d].operand_stride;
      update += dims[d].result_stride;
      if (++index[d] < (place.partly ? place.sizes[d] : dims[d].size)) break;
      operand -= index[d] * dims[d].operand_stride;
      update -= index[d] * dims[d].result_stride;
      index[d] = 0;
    }
    if (d < 0) return true;
  }
}

// Gathers elements of T, any trivially copyable type; `indices` is as in ForEachPlace.
template <typename T, typename Indices>
void GatherKernel(const WindowsGeometry& geometry, const Indices& indices,
                  absl::Span<const T> operand, absl::Span<T> out) {
  CopyGeometry window = geometry.window;
  if (window.empty()) return;
  window.Simplify();
  ForEachPlace(geometry, indices, /*clamp=*/true, [&](const WindowPlace& place) {
    if (window.dims.size() <= 1) {
      const CopyDimension run = window.dims.empty() ? CopyDimension() : window.dims[0];
      CopyRun(run, operand.data() + place.operand_base, out.data() + place.batched_base);
    } else {
      window.operand_base = place.operand_base;
      window.result_base = place.batched_base;
      CopyKernel<T>(window, operand, out);
    }
    return true;
  });
}

}  // namespace hlocts::reference
