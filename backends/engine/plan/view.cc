// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/view.h"

#include <algorithm>

#include "spec/infer/window_util.h"

namespace hlocts::plan {

View View::Dense(absl::Span<const int64_t> sizes) {
  View view;
  view.dimensions.resize(sizes.size());
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    view.dimensions[d] = {sizes[d], stride};
    stride *= std::max<int64_t>(sizes[d], 1);
  }
  return view;
}

View View::Splat(int64_t offset, int64_t elements) {
  View view;
  view.offset = offset;
  view.dimensions.push_back({elements, 0});
  return view;
}

int64_t View::elements() const {
  int64_t count = 1;
  for (const ViewDimension& d : dimensions) count *= d.size;
  return count;
}

View View::Simplified() const {
  View simple;
  simple.offset = offset;
  for (const ViewDimension& d : dimensions) {
    if (d.size == 1) continue;
    if (!simple.dimensions.empty()) {
      ViewDimension& outer = simple.dimensions.back();
      if (outer.stride == d.stride * d.size) {
        outer = {outer.size * d.size, d.stride};
        continue;
      }
    }
    simple.dimensions.push_back(d);
  }
  return simple;
}

View Transposed(const View& view, absl::Span<const int64_t> permutation) {
  View result;
  result.offset = view.offset;
  for (int64_t d : permutation) result.dimensions.push_back(view.dimensions[d]);
  return result;
}

View Broadcast(const View& view, absl::Span<const int64_t> result,
               absl::Span<const int64_t> dimensions) {
  View wide;
  wide.offset = view.offset;
  for (int64_t size : result) wide.dimensions.push_back({size, 0});
  for (size_t d = 0; d < dimensions.size(); ++d) {
    // A dimension of size 1 is broadcast, so its stride remains 0.
    if (view.dimensions[d].size != 1) {
      wide.dimensions[dimensions[d]].stride = view.dimensions[d].stride;
    }
  }
  return wide;
}

View Sliced(const View& view, absl::Span<const SliceRange> ranges) {
  View result = view;
  for (size_t d = 0; d < ranges.size(); ++d) {
    const SliceRange& range = ranges[d];
    ViewDimension& dimension = result.dimensions[d];
    const int64_t size = SlicedSize(range);
    if (size > 0) result.offset += range.start * dimension.stride;
    // The stride of a single element is irrelevant, and may have any int64 value.
    dimension = {size, dimension.stride * (size > 1 ? range.stride : 1)};
  }
  return result;
}

View Reversed(const View& view, absl::Span<const int64_t> dimensions) {
  View result = view;
  for (int64_t d : dimensions) {
    ViewDimension& dimension = result.dimensions[d];
    if (dimension.size > 0) result.offset += (dimension.size - 1) * dimension.stride;
    dimension.stride = -dimension.stride;
  }
  return result;
}

std::optional<View> Reshaped(const View& view, absl::Span<const int64_t> dimensions) {
  View result;
  result.offset = view.offset;
  result.dimensions.resize(dimensions.size());
  const View simple = view.Simplified();
  size_t next = simple.dimensions.size();
  // The part of an old dimension that new dimensions must still cover: its size and stride.
  int64_t left = 1, stride = 0;
  for (size_t d = dimensions.size(); d-- > 0;) {
    const int64_t size = dimensions[d];
    if (size == 1) {
      result.dimensions[d] = {1, 0};
      continue;
    }
    if (left == 1) {
      if (next == 0) return std::nullopt;
      left = simple.dimensions[--next].size;
      stride = simple.dimensions[next].stride;
    }
    if (size == 0 || left % size != 0) return std::nullopt;
    result.dimensions[d] = {size, stride};
    left /= size;
    stride *= size;
  }
  if (left != 1 || next != 0) return std::nullopt;
  return result;
}

}  // namespace hlocts::plan
