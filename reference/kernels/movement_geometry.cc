// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/movement_geometry.h"

#include <algorithm>

#include "spec/base/int128.h"
#include "spec/infer/window_util.h"
#include "spec/ir/index_util.h"

namespace hlocts::reference {
namespace {

// Returns steps * stride. It overflows only for arrays without elements, which do not use it.
int64_t Distance(Int128 steps, int64_t stride) { return static_cast<int64_t>(steps * stride); }

// Returns the distance between adjacent ones of `size` elements. Returns 0 for fewer than two:
// their distance is not used and may exceed int64.
int64_t StepBetween(int64_t size, Int128 steps, int64_t stride) {
  return size <= 1 ? 0 : Distance(steps, stride);
}

}  // namespace

void CopyGeometry::Simplify() {
  std::vector<CopyDimension> merged;
  for (const CopyDimension& d : dims) {
    if (d.size == 1) continue;
    CopyDimension* outer = merged.empty() ? nullptr : &merged.back();
    if (outer && outer->operand_stride == d.operand_stride * d.size &&
        outer->result_stride == d.result_stride * d.size) {
      *outer = {outer->size * d.size, d.operand_stride, d.result_stride};
    } else {
      merged.push_back(d);
    }
  }
  dims = std::move(merged);
}

CopyGeometry BroadcastGeometry(Dims operand, Dims result, Dims dimensions) {
  CopyGeometry geometry;
  std::vector<int64_t> from = RowMajorStrides(operand), to = RowMajorStrides(result);
  for (size_t d = 0; d < result.size(); ++d) geometry.dims.push_back({result[d], 0, to[d]});
  for (size_t d = 0; d < operand.size(); ++d) {
    // A dimension of size 1 is repeated (broadcast_in_dim.11).
    if (operand[d] != 1) geometry.dims[dimensions[d]].operand_stride = from[d];
  }
  return geometry;
}

CopyGeometry TransposeGeometry(Dims operand, Dims permutation) {
  CopyGeometry geometry;
  std::vector<int64_t> from = RowMajorStrides(operand), sizes;
  for (int64_t d : permutation) sizes.push_back(operand[d]);
  std::vector<int64_t> to = RowMajorStrides(sizes);
  for (size_t d = 0; d < sizes.size(); ++d) {
    geometry.dims.push_back({sizes[d], from[permutation[d]], to[d]});
  }
  return geometry;
}

CopyGeometry ReverseGeometry(Dims operand, Dims reversed) {
  CopyGeometry geometry;
  std::vector<int64_t> strides = RowMajorStrides(operand);
  for (size_t d = 0; d < operand.size(); ++d) {
    geometry.dims.push_back({operand[d], strides[d], strides[d]});
  }
  for (int64_t d : reversed) {
    geometry.operand_base += Distance(operand[d] - 1, strides[d]);
    geometry.dims[d].operand_stride = -strides[d];
  }
  return geometry;
}

CopyGeometry SliceGeometry(Dims operand, absl::Span<const SliceRange> ranges) {
  CopyGeometry geometry;
  std::vector<int64_t> from = RowMajorStrides(operand), sizes;
  for (const SliceRange& r : ranges) sizes.push_back(SlicedSize(r));
  std::vector<int64_t> to = RowMajorStrides(sizes);
  for (size_t d = 0; d < operand.size(); ++d) {
    geometry.operand_base += Distance(ranges[d].start, from[d]);
    geometry.dims.push_back({sizes[d], StepBetween(sizes[d], ranges[d].stride, from[d]), to[d]});
  }
  return geometry;
}

CopyGeometry PadGeometry(Dims operand, Dims result, absl::Span<const PaddingDimension> padding) {
  CopyGeometry geometry;
  std::vector<int64_t> from = RowMajorStrides(operand), to = RowMajorStrides(result);
  for (size_t d = 0; d < operand.size(); ++d) {
    // Element i is at low + i*step; elements first to end are inside.
    const Int128 low = padding[d].low, step = Int128{padding[d].interior} + 1;
    const Int128 first = low >= 0 ? 0 : (-low - 1) / step + 1;
    const Int128 extent = result[d] - 1 - low;
    const Int128 end = extent < 0 ? 0 : std::min<Int128>(operand[d], extent / step + 1);
    const int64_t count = static_cast<int64_t>(std::max<Int128>(end - first, 0));
    if (count > 0) {
      geometry.operand_base += Distance(first, from[d]);
      geometry.result_base += Distance(low + first * step, to[d]);
    }
    geometry.dims.push_back({count, from[d], StepBetween(count, step, to[d])});
  }
  return geometry;
}

CopyGeometry ConcatenateGeometry(Dims operand, Dims result, int64_t dimension, int64_t offset) {
  std::vector<int64_t> starts(operand.size(), 0);
  starts[dimension] = offset;
  return DynamicUpdateSliceGeometry(result, operand, starts);
}

CopyGeometry DynamicSliceGeometry(Dims operand, Dims sizes, Dims starts) {
  CopyGeometry geometry;
  std::vector<int64_t> from = RowMajorStrides(operand), to = RowMajorStrides(sizes);
  for (size_t d = 0; d < operand.size(); ++d) {
    geometry.operand_base += Distance(starts[d], from[d]);
    geometry.dims.push_back({sizes[d], from[d], to[d]});
  }
  return geometry;
}

CopyGeometry DynamicUpdateSliceGeometry(Dims operand, Dims update, Dims starts) {
  CopyGeometry geometry;
  std::vector<int64_t> from = RowMajorStrides(update), to = RowMajorStrides(operand);
  for (size_t d = 0; d < operand.size(); ++d) {
    geometry.result_base += Distance(starts[d], to[d]);
    geometry.dims.push_back({update[d], from[d], to[d]});
  }
  return geometry;
}

std::vector<int64_t> ClampStarts(Dims operand, Dims sizes, Dims starts) {
  std::vector<int64_t> clamped;
  for (size_t d = 0; d < operand.size(); ++d) {
    clamped.push_back(std::max<int64_t>(std::min(starts[d], operand[d] - sizes[d]), 0));
  }
  return clamped;
}

}  // namespace hlocts::reference
