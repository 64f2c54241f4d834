// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/gather_scatter.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "spec/infer/dimension_numbers.h"
#include "spec/ir/index_util.h"
#include "spec/ir/instruction.h"

namespace hlocts::reference {
namespace {

std::vector<int64_t> Joined(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  std::vector<int64_t> joined = a;
  joined.insert(joined.end(), b.begin(), b.end());
  return joined;
}

// Sets the fields that gather and scatter share. `window_dims` are the window dimensions of the
// batched array; `absent` are the operand dimensions that lack one (collapsed, inserted, batching).
void SetWindow(absl::Span<const int64_t> operand, absl::Span<const int64_t> batched,
               absl::Span<const int64_t> window_dims, absl::Span<const int64_t> absent,
               WindowsGeometry& geometry) {
  geometry.operand_dimensions.assign(operand.begin(), operand.end());
  geometry.operand_strides = RowMajorStrides(operand);
  geometry.batched_dimensions.assign(batched.begin(), batched.end());
  const std::vector<int64_t> strides = RowMajorStrides(batched);
  const std::vector<int64_t> present =
      DimensionsExcept(static_cast<int64_t>(operand.size()), absent);
  for (size_t k = 0; k < window_dims.size(); ++k) {
    geometry.window_dimensions.push_back(present[k]);
    geometry.window.dims.push_back({geometry.window_sizes[present[k]],
                                    geometry.operand_strides[present[k]], strides[window_dims[k]]});
  }
  for (int64_t d : DimensionsExcept(static_cast<int64_t>(batched.size()), window_dims)) {
    geometry.batch_sizes.push_back(batched[d]);
    geometry.batch_strides.push_back(strides[d]);
  }
}

void SetIndices(absl::Span<const int64_t> indices, int64_t index_vector_dim,
                const std::vector<int64_t>& index_map, absl::Span<const int64_t> operand_batching,
                absl::Span<const int64_t> indices_batching, WindowsGeometry& geometry) {
  const std::vector<int64_t> strides = RowMajorStrides(indices);
  for (int64_t d = 0; d < static_cast<int64_t>(indices.size()); ++d) {
    if (d == index_vector_dim) {
      geometry.vector_stride = strides[d];
    } else {
      geometry.batch_index_strides.push_back(strides[d]);
    }
  }
  geometry.index_map = index_map;
  for (size_t i = 0; i < operand_batching.size(); ++i) {
    const int64_t coordinate =
        indices_batching[i] - (indices_batching[i] > index_vector_dim ? 1 : 0);
    geometry.batching.push_back({operand_batching[i], coordinate});
  }
}

// Cuts the window to the box of its elements with valid indices (scatter.47, ruling 0011).
void CutToInside(const WindowsGeometry& geometry, absl::Span<const int64_t> start,
                 WindowPlace& place) {
  const size_t rank = start.size();
  std::vector<int64_t> low(rank), count(rank);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t dimension = geometry.operand_dimensions[d], window = geometry.window_sizes[d];
    if (start[d] >= dimension || start[d] <= -window) return;
    low[d] = std::max<int64_t>(0, -start[d]);
    count[d] = std::min(window, dimension - start[d]) - low[d];
    place.operand_base += (start[d] + low[d]) * geometry.operand_strides[d];
  }
  place.partly = true;
  for (size_t k = 0; k < geometry.window_dimensions.size(); ++k) {
    const int64_t d = geometry.window_dimensions[k];
    place.batched_base += low[d] * geometry.window.dims[k].result_stride;
    place.sizes.push_back(count[d]);
  }
}

}  // namespace

int64_t WindowsGeometry::window_count() const {
  int64_t count = 1;
  for (int64_t size : batch_sizes) count *= size;
  return count;
}

WindowsGeometry GatherGeometryOf(const Instruction& gather, absl::Span<const int64_t> operand,
                                 absl::Span<const int64_t> indices) {
  const GatherDimensionNumbers numbers = GatherDimensionsOf(gather);
  WindowsGeometry geometry;
  geometry.window_sizes = gather.IntList(Attr::kSliceSizes);
  const std::vector<int64_t> absent =
      Joined(numbers.collapsed_slice_dims, numbers.operand_batching_dims);
  // Dimensions of the output: offset_dims have the slice's sizes, the others have the indices'.
  const int64_t indices_rank = static_cast<int64_t>(indices.size());
  std::vector<int64_t> batch;
  for (int64_t d = 0; d < indices_rank; ++d) {
    if (d != numbers.index_vector_dim) batch.push_back(indices[d]);
  }
  const std::vector<int64_t> present =
      DimensionsExcept(static_cast<int64_t>(operand.size()), absent);
  std::vector<int64_t> out(batch.size() + numbers.offset_dims.size());
  size_t next_batch = 0, next_offset = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(out.size()); ++d) {
    out[d] = absl::c_linear_search(numbers.offset_dims, d)
                 ? geometry.window_sizes[present[next_offset++]]
                 : batch[next_batch++];
  }
  SetWindow(operand, out, numbers.offset_dims, absent, geometry);
  SetIndices(indices, numbers.index_vector_dim, numbers.start_index_map,
             numbers.operand_batching_dims, numbers.start_indices_batching_dims, geometry);
  return geometry;
}

WindowsGeometry ScatterGeometryOf(const Instruction& scatter, absl::Span<const int64_t> operand,
                                  absl::Span<const int64_t> indices,
                                  absl::Span<const int64_t> updates) {
  const ScatterDimensionNumbers numbers = ScatterDimensionsOf(scatter);
  WindowsGeometry geometry;
  const std::vector<int64_t> absent =
      Joined(numbers.inserted_window_dims, numbers.input_batching_dims);
  const std::vector<int64_t> present =
      DimensionsExcept(static_cast<int64_t>(operand.size()), absent);
  geometry.window_sizes.assign(operand.size(), 1);
  for (size_t k = 0; k < numbers.update_window_dims.size(); ++k) {
    geometry.window_sizes[present[k]] = updates[numbers.update_window_dims[k]];
  }
  SetWindow(operand, updates, numbers.update_window_dims, absent, geometry);
  SetIndices(indices, numbers.index_vector_dim, numbers.scatter_dims_to_operand_dims,
             numbers.input_batching_dims, numbers.scatter_indices_batching_dims, geometry);
  return geometry;
}

WindowPlace PlaceAt(const WindowsGeometry& geometry, absl::Span<const int64_t> batch,
                    absl::Span<const int64_t> start, bool clamp) {
  WindowPlace place;
  for (size_t d = 0; d < batch.size(); ++d) {
    place.batched_base += batch[d] * geometry.batch_strides[d];
  }
  for (size_t d = 0; d < start.size(); ++d) {
    const int64_t last = geometry.operand_dimensions[d] - geometry.window_sizes[d];
    const int64_t at = clamp ? std::max<int64_t>(std::min(start[d], last), 0) : start[d];
    place.inside = place.inside && at >= 0 && at <= last;
    if (place.inside) place.operand_base += at * geometry.operand_strides[d];
  }
  if (!place.inside) {
    place.operand_base = 0;
    CutToInside(geometry, start, place);
  }
  return place;
}

std::vector<WindowPlace> PlacesOf(const WindowsGeometry& geometry,
                                  absl::Span<const int64_t> indices, bool clamp) {
  std::vector<WindowPlace> places;
  places.reserve(geometry.window_count());
  ForEachPlace(geometry, indices, clamp, [&](const WindowPlace& place) {
    places.push_back(place);
    return true;
  });
  return places;
}

}  // namespace hlocts::reference
