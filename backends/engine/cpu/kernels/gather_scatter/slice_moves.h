// SPDX-License-Identifier: Apache-2.0
// Computes the starts of gather's slices and scatter's windows.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "backends/engine/cpu/kernels/gather_scatter/gather_scatter.h"
#include "backends/engine/cpu/kernels/runtime/loop_nest.h"

namespace hlocts::kernels {

inline constexpr int64_t kBlock = 256;  // index vectors processed at a time

// The starts of a block of index vectors: the offset of each index vector in the indices, of its
// slice in the operand, and of its window in the batched array.
struct Starts {
  int64_t index[kBlock], operand[kBlock], window[kBlock];
  bool inside[kBlock];
  // component[k * kBlock + i] is component k of index vector i. Unset if windows cannot overhang.
  std::vector<int64_t> component;
};

// The geometry of a gather or scatter.
struct Moves {
  const IndexVectors& indices;
  absl::Span<const int64_t> operand_dimensions, operand_strides, sizes;
  bool clamp;
  LoopNest<3> batch;  // strides in indices, operand, batched array
  LoopNest<2> slice;  // strides in operand, batched array; without `run`
  LoopDimension<2> run;
  int64_t run_start[2] = {0, 0};  // start of each run in operand, batched array
  // True if a window may be partly out of bounds, because it has several elements along an indexed
  // dimension.
  bool overhangs = false;
};

Moves MovesOf(const IndexVectors& indices, absl::Span<const int64_t> dimensions,
              absl::Span<const int64_t> strides, absl::Span<const int64_t> sizes, bool clamp,
              absl::Span<const int64_t> operand_batch, absl::Span<const int64_t> window_batch,
              absl::Span<const SliceDimension> slice);

// Sets `starts` for index vectors [first, first + count).
void FindStarts(const Moves& moves, int64_t first, int64_t count, Starts& starts);

// Restricts window i to its part in bounds. Sets `clipped` to the sizes of this part, `operand` and
// `update` to its starts. Returns false if it is empty. Dimensions of more than one element must
// have distinct strides.
bool ClipWindow(const Moves& moves, const Starts& starts, int64_t i,
                absl::Span<const SliceDimension> window, Moves& clipped, int64_t& operand,
                int64_t& update);

}  // namespace hlocts::kernels
