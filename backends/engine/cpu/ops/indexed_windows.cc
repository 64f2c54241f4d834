// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/ops/indexed_windows.h"

#include <algorithm>

#include "backends/engine/plan/index_elements.h"
#include "spec/infer/dimension_numbers.h"

namespace hlocts::cpu {

bool IndexedWindows::Place(int64_t number, const uint8_t* indices, int64_t& operand_at,
                           int64_t& batched_at,
                           absl::InlinedVector<CopyDimension, 6>& inside) const {
  absl::InlinedVector<int64_t, 6> start(operand.size(), 0), batch(sizes.size());
  int64_t index_at = 0;
  batched_at = 0;
  for (size_t d = sizes.size(); d-- > 0;) {
    batch[d] = number % sizes[d];
    number /= sizes[d];
    index_at += batch[d] * index_strides[d];
    batched_at += batch[d] * batched_strides[d];
  }
  for (size_t i = 0; i < index_map.size(); ++i) {
    start[index_map[i]] =
        plan::IndexAt(index_type, indices, index_at + static_cast<int64_t>(i) * component_stride);
  }
  for (const auto& [dimension, coordinate] : batching) start[dimension] = batch[coordinate];
  operand_at = 0;
  for (size_t d = 0; d < operand.size(); ++d) {
    if (start[d] <= -window[d] || start[d] >= operand[d]) return false;
    operand_at += std::max<int64_t>(start[d], 0) * operand_strides[d];
  }
  inside = inner;
  for (size_t k = 0; k < inner.size(); ++k) {
    const int64_t d = inner_dimensions[k], low = std::max<int64_t>(-start[d], 0);
    inside[k].size = std::min(window[d], operand[d] - start[d]) - low;
    batched_at += low * inner[k].to;
  }
  return true;
}

void SetIndices(const plan::ArrayType& indices, int64_t vector_dimension,
                const std::vector<int64_t>& index_map, const std::vector<int64_t>& operand_batching,
                const std::vector<int64_t>& indices_batching, IndexedWindows& w) {
  const Strides strides = RowMajor(indices.dimensions);
  w.index_type = indices.type;
  for (int64_t d = 0; d < indices.rank(); ++d) {
    if (d == vector_dimension) {
      w.component_stride = strides[d];
    } else {
      w.index_strides.push_back(strides[d]);
    }
  }
  w.index_map = index_map;
  for (size_t i = 0; i < operand_batching.size(); ++i) {
    const int64_t after = indices_batching[i] > vector_dimension ? 1 : 0;
    w.batching.push_back({operand_batching[i], indices_batching[i] - after});
  }
}

void SetWindow(const plan::ArrayType& operand, const plan::ArrayType& batched,
               const std::vector<int64_t>& window_dims, const std::vector<int64_t>& absent,
               IndexedWindows& w) {
  w.operand = operand.dimensions;
  w.operand_strides = RowMajor(operand.dimensions);
  const Strides strides = RowMajor(batched.dimensions);
  const std::vector<int64_t> present = DimensionsExcept(operand.rank(), absent);
  for (size_t k = 0; k < window_dims.size(); ++k) {
    w.inner.push_back(
        {w.window[present[k]], w.operand_strides[present[k]], strides[window_dims[k]]});
    w.inner_dimensions.push_back(present[k]);
  }
  for (int64_t d : DimensionsExcept(batched.rank(), window_dims)) {
    w.sizes.push_back(batched.dimensions[d]);
    w.batched_strides.push_back(strides[d]);
  }
}

kernels::IndexVectors IndexVectorsOf(const IndexedWindows& w) {
  kernels::IndexVectors vectors;
  vectors.type = w.index_type;
  vectors.operand_dimensions.assign(w.index_map.begin(), w.index_map.end());
  vectors.batch_sizes.assign(w.sizes.begin(), w.sizes.end());
  vectors.batch_strides.assign(w.index_strides.begin(), w.index_strides.end());
  vectors.component_stride = w.component_stride;
  return vectors;
}

}  // namespace hlocts::cpu
