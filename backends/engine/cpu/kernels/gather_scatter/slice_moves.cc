// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/gather_scatter/slice_moves.h"

#include <algorithm>
#include <type_traits>

#include "spec/ir/element_width.h"

namespace hlocts::kernels {
namespace {

// Sets to[i] to the index component at offsets[i] + shift, saturated to int64.
template <typename T>
void ReadAs(const void* data, const int64_t* offsets, int64_t shift, int64_t count, int64_t* to) {
  const T* from = static_cast<const T*>(data);
  for (int64_t i = 0; i < count; ++i) {
    const T x = from[offsets[i] + shift];
    to[i] = sizeof(T) == 8 && std::is_unsigned_v<T> && (static_cast<uint64_t>(x) >> 63) != 0
                ? INT64_MAX
                : static_cast<int64_t>(x);
  }
}

void ReadComponents(PrimitiveType type, const void* data, const int64_t* offsets, int64_t shift,
                    int64_t count, int64_t* to) {
  VisitInteger(type, [&](auto zero) { ReadAs<decltype(zero)>(data, offsets, shift, count, to); });
}

// Sets the loops over one slice.
void SetSlice(absl::Span<const SliceDimension> slice, Moves& moves) {
  LoopNest<2> loops;
  for (const SliceDimension& d : slice) {
    loops.push_back({d.size, {d.operand_stride, d.window_stride}});
  }
  SortLoops(loops, 0);
  moves.slice = MergedLoops(loops);
  if (moves.slice.empty()) moves.slice.push_back({1, {1, 1}});
  moves.run = moves.slice.back();
  moves.slice.pop_back();
}

}  // namespace

Moves MovesOf(const IndexVectors& indices, absl::Span<const int64_t> dimensions,
              absl::Span<const int64_t> strides, absl::Span<const int64_t> sizes, bool clamp,
              absl::Span<const int64_t> operand_batch, absl::Span<const int64_t> window_batch,
              absl::Span<const SliceDimension> slice) {
  Moves moves = {indices, dimensions, strides, sizes, clamp, {}, {}, {}, {}, false};
  for (int64_t d : indices.operand_dimensions) {
    moves.overhangs = moves.overhangs || (!clamp && sizes[d] > 1);
  }
  LoopNest<3> batch;
  for (size_t d = 0; d < indices.batch_sizes.size(); ++d) {
    const int64_t in_operand = operand_batch.empty() ? 0 : operand_batch[d];
    batch.push_back(
        {indices.batch_sizes[d], {indices.batch_strides[d], in_operand, window_batch[d]}});
  }
  moves.batch = MergedLoops(batch);
  if (moves.batch.empty()) moves.batch.push_back({1, {0, 0, 0}});
  SetSlice(slice, moves);
  return moves;
}

void FindStarts(const Moves& moves, int64_t first, int64_t count, Starts& starts) {
  LoopWalk<3> walk(moves.batch, first);
  for (int64_t i = 0; i < count; ++i, walk.Next()) {
    starts.index[i] = walk.offset(0);
    starts.operand[i] = walk.offset(1);
    starts.window[i] = walk.offset(2);
    starts.inside[i] = true;
  }
  const IndexVectors& indices = moves.indices;
  const int64_t components = static_cast<int64_t>(indices.operand_dimensions.size());
  int64_t component[kBlock];
  if (moves.overhangs) starts.component.resize(components * kBlock);
  for (int64_t k = 0; k < components; ++k) {
    const int64_t d = moves.indices.operand_dimensions[k];
    const int64_t last = moves.operand_dimensions[d] - moves.sizes[d];
    const int64_t stride = moves.operand_strides[d];
    ReadComponents(indices.type, indices.data, starts.index, k * indices.component_stride, count,
                   component);
    if (moves.overhangs) std::copy_n(component, count, &starts.component[k * kBlock]);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = component[i];
      const int64_t low = at < 0 ? 0 : at, inside = low > last ? last : low;
      starts.inside[i] = starts.inside[i] && (moves.clamp || inside == at);
      starts.operand[i] += inside * stride;
    }
  }
}

bool ClipWindow(const Moves& moves, const Starts& starts, int64_t i,
                absl::Span<const SliceDimension> window, Moves& clipped, int64_t& operand,
                int64_t& update) {
  absl::InlinedVector<SliceDimension, 4> inside(window.begin(), window.end());
  operand = starts.operand[i], update = starts.window[i];
  for (size_t k = 0; k < moves.indices.operand_dimensions.size(); ++k) {
    const int64_t d = moves.indices.operand_dimensions[k], size = moves.sizes[d];
    const int64_t at = starts.component[static_cast<int64_t>(k) * kBlock + i];
    if (at <= -size || at >= moves.operand_dimensions[d]) return false;
    const int64_t low = at < 0 ? -at : 0, stride = moves.operand_strides[d];
    const int64_t high = std::min(size, moves.operand_dimensions[d] - at);
    // Up to here, `operand` is the offset of the nearest window that is entirely in bounds.
    operand += (at + low - std::clamp<int64_t>(at, 0, moves.operand_dimensions[d] - size)) * stride;
    for (SliceDimension& step : inside) {
      if (size == 1 || step.operand_stride != stride || step.size != size) continue;
      step.size = high - low;
      update += low * step.window_stride;
    }
  }
  SetSlice(inside, clipped);
  return true;
}

}  // namespace hlocts::kernels
