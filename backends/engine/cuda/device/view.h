// SPDX-License-Identifier: Apache-2.0
// Maps a position of one array to an element of another array: by strides, with padding, or by
// index vectors.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_VIEW_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_VIEW_H_

#include "backends/engine/cuda/device/apply.h"

namespace hl {

constexpr int kRankMax = 12;  // dimensions of a view after adjacent ones are merged

struct View {
  i64 offset = 0;
  int rank = 0;
  int narrow = 0;  // 1 if there are fewer than 2^31 elements
  i64 size[kRankMax] = {};
  i64 stride[kRankMax] = {};
};

// Returns i % size, and sets i to i / size. If `narrow`, both must be below 2^31; the division is
// then five times as fast on a GPU.
HL_FN i64 SplitOff(i64& i, i64 size, int narrow) {
  if (narrow != 0) {
    const u32 whole = static_cast<u32>(i), by = static_cast<u32>(size), quotient = whole / by;
    i = quotient;
    return whole - quotient * by;
  }
  const i64 rest = i % size;
  i /= size;
  return rest;
}

HL_CALL i64 OffsetOf(const View& view, i64 i) {
  i64 at = view.offset;
  for (int d = view.rank - 1; d > 0; --d) {
    at += SplitOff(i, view.size[d], view.narrow) * view.stride[d];
  }
  return view.rank > 0 ? at + i * view.stride[0] : at;
}

// Visits the elements of a view in row-major order, without divisions.
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

// Returns element i as an index. Converts a u64 above the largest s64 to the largest s64.
HL_CALL i64 IndexAt(int type, const void* array, i64 i) {
  const i64 index = static_cast<i64>(Wrap(type, LoadBits(BytesOf(type), array, i)));
  return type == kU64 && index < 0 ? 0x7fffffffffffffffll : index;
}
HL_FN i64 Least(i64 x, i64 y) { return x < y ? x : y; }
HL_FN i64 Clamped(i64 x, i64 least, i64 most) { return x < least ? least : x > most ? most : x; }

// A pad. `operand` and `stride` are sizes and strides of the operand, which begins at `offset`.
struct PadShape {
  int rank, narrow;  // narrow: all divisions fit in 32 bits
  i64 size[kRankMax], low[kRankMax], interior[kRankMax], operand[kRankMax], stride[kRankMax];
  i64 offset;
};
// Returns the operand's offset of element i of the result, or -1 if it is padding.
HL_CALL i64 PlaceOf(const PadShape& a, i64 i) {
  i64 at = a.offset;
  bool inside = true;
  for (int d = a.rank - 1; d >= 0; --d) {
    i64 place = SplitOff(i, a.size[d], a.narrow) - a.low[d];
    inside = inside && place >= 0;
    // Only interior padding requires a division.
    if (inside && a.interior[d] != 0) {
      inside = SplitOff(place, a.interior[d] + 1, a.narrow) == 0;
    }
    inside = inside && place < a.operand[d];
    at += place * a.stride[d];
  }
  return inside ? at : -1;
}

// Windows of an operand that begin at index vectors. The batched array is the array of all windows:
// the result of gather, or the updates of scatter.
struct IndexedWindows {
  int rank;  // rank of the batched array
  int operand_rank, components, index_type;
  i64 size[kRankMax];  // sizes of the batched array
  // The strides of each dimension of the batched array: in the window of the operand, in the array
  // of indices, and, if it is a batching dimension, in the operand.
  i64 operand_stride[kRankMax];
  i64 index_stride[kRankMax];
  i64 batching_stride[kRankMax];
  i64 component_stride;
  int component_dimension[kRankMax], narrow;  // narrow: fewer than 2^31 elements
  int window_dimension[kRankMax];             // operand dimension of each batched dimension, or -1
  // The largest valid start of a window (in scatter, of an element) in each operand dimension.
  i64 last[kRankMax];
  i64 stride[kRankMax];
};
// Returns the operand's offset of element i of the batched array, or -1 if it is out of bounds.
HL_CALL i64 TargetOf(const IndexedWindows& w, const void* indices, bool clamp, i64 i) {
  i64 at = 0, index_at = 0;
  i64 start[kRankMax], within[kRankMax];  // start of the window; position in the window
  for (int d = 0; d < w.operand_rank; ++d) start[d] = within[d] = 0;
  for (int d = w.rank - 1; d >= 0; --d) {
    const i64 place = SplitOff(i, w.size[d], w.narrow);
    if (w.window_dimension[d] >= 0) within[w.window_dimension[d]] = place;
    at += place * (w.operand_stride[d] + w.batching_stride[d]);
    index_at += place * w.index_stride[d];
  }
  for (int c = 0; c < w.components; ++c) {
    start[w.component_dimension[c]] =
        IndexAt(w.index_type, indices, index_at + c * w.component_stride);
  }
  for (int d = 0; d < w.operand_rank; ++d) {
    if (clamp) {
      start[d] = Clamped(start[d], 0, w.last[d] < 0 ? 0 : w.last[d]);
      if (start[d] > w.last[d]) return -1;
    } else if (start[d] < -within[d] || start[d] > w.last[d] - within[d]) {
      return -1;
    }
    at += start[d] * w.stride[d];
  }
  return at;
}

// One dimension of a window over a base that is padded and dilated.
struct WindowAxis {
  i64 size, stride, low, window_dilation, base_dilation;
  i64 base, base_stride, positions;
};
struct WindowShape {
  int rank, reserved;
  WindowAxis axes[kRankMax];
};

// Stores the index of a target, or -1 for none. If `narrow`, stores it plus 1 as u32, for arrays
// whose element numbers fit.
HL_FN void StoreTarget(void* targets, int narrow, i64 i, i64 target) {
  if (narrow != 0) {
    static_cast<u32*>(targets)[i] = static_cast<u32>(target + 1);
  } else {
    static_cast<i64*>(targets)[i] = target;
  }
}
HL_FN i64 LoadTarget(const void* targets, int narrow, i64 i) {
  if (narrow == 0) return static_cast<const i64*>(targets)[i];
  return static_cast<i64>(static_cast<const u32*>(targets)[i]) - 1;
}

// Load an element of a pad or a gather in a program. Its description is stored among the views.
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
