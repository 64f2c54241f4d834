// SPDX-License-Identifier: Apache-2.0
// Windows of an array that begin at index vectors, as in gather and scatter.
#pragma once

#include <utility>
#include <vector>

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/kernels/gather_scatter/gather_scatter.h"
#include "backends/engine/cpu/loops/loop_program.h"
#include "backends/engine/cpu/moves/strided.h"

namespace hlocts::cpu {

// The windows of a gather or scatter. The batched array contains all windows: gather's result or
// scatter's updates. Some of its dimensions enumerate windows; the others are those of a window.
struct IndexedWindows {
  plan::Dimensions operand, window;  // sizes, for each operand dimension
  Strides operand_strides;
  // The window's sizes and strides: `from` in the operand, `to` in the batched array.
  absl::InlinedVector<CopyDimension, 6> inner;
  std::vector<int64_t> inner_dimensions;  // operand dimensions of `inner`
  // The sizes of the batch dimensions, and their strides in the batched array and in the indices.
  std::vector<int64_t> sizes, batched_strides, index_strides;
  std::vector<int64_t> index_map;  // index component i belongs to operand dimension index_map[i]
  int64_t component_stride = 1;
  std::vector<std::pair<int64_t, int64_t>> batching;  // pairs (operand dimension, batch dimension)
  PrimitiveType index_type = PrimitiveType::kS32;

  int64_t count() const { return Product(sizes); }

  // Sets the offsets and sizes of the part of window `number` that is in bounds in both arrays.
  // Returns false if that part has no element.
  bool Place(int64_t number, const uint8_t* indices, int64_t& operand_at, int64_t& batched_at,
             absl::InlinedVector<CopyDimension, 6>& inside) const;
};

void SetIndices(const plan::ArrayType& indices, int64_t vector_dimension,
                const std::vector<int64_t>& index_map, const std::vector<int64_t>& operand_batching,
                const std::vector<int64_t>& indices_batching, IndexedWindows& w);
// Describes the window. `window_dims` are the dimensions of the batched array that belong to a
// window. `absent` are the operand dimensions that the window omits.
void SetWindow(const plan::ArrayType& operand, const plan::ArrayType& batched,
               const std::vector<int64_t>& window_dims, const std::vector<int64_t>& absent,
               IndexedWindows& w);

kernels::IndexVectors IndexVectorsOf(const IndexedWindows& w);
// Sets the fields that the requests of gather and scatter share. `sizes` are those of gather's
// slice or scatter's window.
template <class Request, class Sizes, class Strides4, class Slice>
void Describe(const IndexedWindows& w, PrimitiveType type, Request& request, Sizes& sizes,
              Strides4& batched, Slice& slice) {
  request.type = type;
  request.operand_dimensions.assign(w.operand.begin(), w.operand.end());
  request.operand_strides.assign(w.operand_strides.begin(), w.operand_strides.end());
  sizes.assign(w.window.begin(), w.window.end());
  request.indices = IndexVectorsOf(w);
  if (!w.batching.empty()) request.operand_batch_strides.assign(w.sizes.size(), 0);
  for (const auto& [dimension, coordinate] : w.batching) {
    request.operand_batch_strides[coordinate] += w.operand_strides[dimension];
  }
  batched.assign(w.batched_strides.begin(), w.batched_strides.end());
  for (const CopyDimension& d : w.inner) slice.push_back({d.size, d.from, d.to});
}

}  // namespace hlocts::cpu
