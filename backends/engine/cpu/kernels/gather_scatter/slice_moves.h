// SPDX-License-Identifier: Apache-2.0
// The starts of gather's slices and scatter's windows, and the loops over one of them.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GATHER_SCATTER_SLICE_MOVES_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GATHER_SCATTER_SLICE_MOVES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "backends/engine/cpu/kernels/gather_scatter/gather_scatter.h"
#include "backends/engine/cpu/kernels/runtime/loop_nest.h"

namespace hlocts::kernels {

inline constexpr int64_t kBlock = 256;  // index vectors at a time

// The offsets of an index vector's components, its slice in the operand and its window.
struct Starts {
  int64_t index[kBlock], operand[kBlock], window[kBlock];
  bool inside[kBlock];
  // For moves that may overhang: component k of index vector i, at [k * kBlock + i].
  std::vector<int64_t> component;
};

// The geometry that gather and scatter share.
struct Moves {
  const IndexVectors& indices;
  absl::Span<const int64_t> operand_dimensions, operand_strides, sizes;
  bool clamp;
  LoopNest<3> batch;  // index offset, operand offset, window offset
  LoopNest<2> slice;  // operand, window; without the innermost loop
  LoopDimension<2> run;
  int64_t run_start[2] = {0, 0};  // beginning of a part of the runs
  // A window may be partly out of bounds: it has several elements along an indexed dimension.
  bool overhangs = false;
};

Moves MovesOf(const IndexVectors& indices, absl::Span<const int64_t> dimensions,
              absl::Span<const int64_t> strides, absl::Span<const int64_t> sizes, bool clamp,
              absl::Span<const int64_t> operand_batch, absl::Span<const int64_t> window_batch,
              absl::Span<const SliceDimension> slice);

// Fills the starts of index vectors [first, first + count).
void FindStarts(const Moves& moves, int64_t first, int64_t count, Starts& starts);

// Moves the part of window i that is in bounds, with fewer steps and other starts. False: no
// element is. Strides distinguish dimensions of more than one element.
bool ClipWindow(const Moves& moves, const Starts& starts, int64_t i,
                absl::Span<const SliceDimension> window, Moves& clipped, int64_t& operand,
                int64_t& update);

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GATHER_SCATTER_SLICE_MOVES_H_
