// SPDX-License-Identifier: Apache-2.0
// Which element of an array stands at a place of another: under strides, with padding around it,
// where index vectors say.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_VIEW_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_VIEW_H_

#include "backends/engine/cuda/device/apply.h"

namespace hl {

constexpr int kRankMax = 12;  // of a view, once neighbouring dimensions are merged

struct View {
  i64 offset = 0;
  int rank = 0;
  int reserved = 0;
  i64 size[kRankMax] = {};
  i64 stride[kRankMax] = {};
};

HL_CALL i64 OffsetOf(const View& view, i64 i) {
  i64 at = view.offset;
  for (int d = view.rank - 1; d > 0; --d) {
    at += i % view.size[d] * view.stride[d];
    i /= view.size[d];
  }
  return view.rank > 0 ? at + i * view.stride[0] : at;
}

// Walks through a view in row-major order without dividing.
struct Cursor {
  i64 at;
  i64 index[kRankMax];
  HL_FN explicit Cursor(const View& view) : at(view.offset) {
    for (int d = 0; d < view.rank; ++d) index[d] = 0;
  }
  HL_FN void Advance(const View& view) {
    for (int d = view.rank - 1; d >= 0; --d) {
      at += view.stride[d];
      if (++index[d] < view.size[d]) return;
      at -= index[d] * view.stride[d];
      index[d] = 0;
    }
  }
};

// An index as s64; u64 beyond that is the largest.
HL_CALL i64 IndexAt(int type, const void* array, i64 i) {
  const Value v = Load(type, array, i);
  return type == kU64 && v.s < 0 ? 0x7fffffffffffffffll : v.s;
}
HL_FN i64 Clamped(i64 x, i64 least, i64 most) { return x < least ? least : x > most ? most : x; }

// pad. operand, stride: of the operand's dimensions.
struct PadShape {
  int rank, reserved;
  i64 size[kRankMax], low[kRankMax], interior[kRankMax], operand[kRankMax], stride[kRankMax];
};
// Where element i of the result lies in the operand; -1: it is padding.
HL_CALL i64 PlaceOf(const PadShape& a, i64 i) {
  i64 at = 0;
  bool inside = true;
  for (int d = a.rank - 1; d >= 0; --d) {
    const i64 place = i % a.size[d] - a.low[d], step = a.interior[d] + 1;
    i /= a.size[d];
    inside = inside && place >= 0 && place % step == 0 && place / step < a.operand[d];
    at += place / step * a.stride[d];
  }
  return inside ? at : -1;
}

// Windows of an operand that begin where index vectors say. The batched array is gather's result or
// scatter's updates.
struct IndexedWindows {
  int rank;  // of the batched array
  int operand_rank, components, index_type;
  i64 size[kRankMax];             // of the batched array
  i64 operand_stride[kRankMax];   // per batched dimension: what it moves in the operand's window
  i64 index_stride[kRankMax];     // ... and in the array of indices
  i64 batching_stride[kRankMax];  // ... and in the operand, of batching dimensions
  i64 component_stride;
  int component_dimension[kRankMax], reserved[kRankMax];
  i64 last[kRankMax];    // per operand dimension: largest start
  i64 stride[kRankMax];  // per operand dimension
};
// Where element i of the batched array lies in the operand; -1: nowhere.
HL_CALL i64 TargetOf(const IndexedWindows& w, const void* indices, bool clamp, i64 i) {
  i64 at = 0, index_at = 0;
  for (int d = w.rank - 1; d >= 0; --d) {
    const i64 place = i % w.size[d];
    i /= w.size[d];
    at += place * (w.operand_stride[d] + w.batching_stride[d]);
    index_at += place * w.index_stride[d];
  }
  i64 start[kRankMax];
  for (int d = 0; d < w.operand_rank; ++d) start[d] = 0;
  for (int c = 0; c < w.components; ++c) {
    start[w.component_dimension[c]] =
        IndexAt(w.index_type, indices, index_at + c * w.component_stride);
  }
  for (int d = 0; d < w.operand_rank; ++d) {
    const i64 last = w.last[d] < 0 ? 0 : w.last[d];
    if (clamp) start[d] = Clamped(start[d], 0, last);
    if (start[d] < 0 || start[d] > w.last[d]) return -1;
    at += start[d] * w.stride[d];
  }
  return at;
}

// Elements of a pad or a gather within a program. What they are described by stands among the
// views.
template <class T>
constexpr int kViewsFor = (sizeof(T) + sizeof(View) - 1) / sizeof(View);
HL_FN Value LoadPadded(int type, const View* shape, const void* in, const void* value, i64 i) {
  const i64 at = PlaceOf(*reinterpret_cast<const PadShape*>(shape), i);
  return at >= 0 ? Load(type, in, at) : Load(type, value, 0);
}
HL_FN Value LoadGathered(int type, const View* windows, const void* in, const void* indices,
                         i64 i) {
  const auto& w = *reinterpret_cast<const IndexedWindows*>(windows);
  return Load(type, in, TargetOf(w, indices, true, i));
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_VIEW_H_
