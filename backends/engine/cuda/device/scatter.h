// SPDX-License-Identifier: Apache-2.0
// Kernels that read or write boxes and indexed positions (gather, scatter). The order in which
// updates of one element are combined depends only on the updates' numbers, because updates are
// sorted by target (sort.h).
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_SCATTER_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_SCATTER_H_

#include "backends/engine/cuda/device/kernels.h"

namespace hl {

// Copies elements between two boxes. Scalars in memory may be the start of one of the boxes.
struct BoxArgs {
  int bytes, starts;  // starts: number of dimensions with a start in memory
  int moves_target, index_type;
  View from, to;
  const void* in;
  void* out;
  i64 last[kRankMax];  // the largest permitted start
  i64 stride[kRankMax];
  const void* start[kRankMax];
};
HL_FN void BoxAt(const BoxArgs& a, i64 i) {
  i64 moved = 0;
  for (int d = 0; d < a.starts; ++d) {
    moved += Clamped(IndexAt(a.index_type, a.start[d], 0), 0, a.last[d]) * a.stride[d];
  }
  const i64 from = OffsetOf(a.from, i), to = OffsetOf(a.to, i);
  CopyElement(a.bytes, a.in, from + (a.moves_target ? 0 : moved), a.out,
              to + (a.moves_target ? moved : 0));
}

// pad: each element of the result is an element of the operand, or the padding value.
struct PadArgs {
  int bytes, reserved;
  PadShape shape;
  const void* in;
  const void* value;
  void* out;
};
HL_FN void PadAt(const PadArgs& a, i64 i) {
  const i64 at = PlaceOf(a.shape, i);
  CopyElement(a.bytes, at >= 0 ? a.in : a.value, at >= 0 ? at : 0, a.out, i);
}

struct GatherArgs {
  IndexedWindows windows;
  const void* indices;
  int bytes, reserved;
  const void* in;
  void* out;
};
HL_FN void GatherAt(const GatherArgs& a, i64 i) {
  CopyElement(a.bytes, a.in, TargetOf(a.windows, a.indices, true, i), a.out, i);
}

struct TargetArgs {
  IndexedWindows windows;
  const void* indices;
  i64 narrow;  // see StoreTarget
  void* targets;
};
HL_FN void TargetAt(const TargetArgs& a, i64 i) {
  StoreTarget(a.targets, static_cast<int>(a.narrow), i, TargetOf(a.windows, a.indices, false, i));
}

// Updates are sorted stably by target, and `order` has their positions. Updates with the same
// target form a run. The thread of the first update of a run applies the entire run, so only one
// thread writes an element.
//
// If `splits`, a run is cut at each multiple of kScatterPiece, and the updates of each piece are
// combined without the element. Let boundary c, at position c * kScatterPiece, be inside a run.
// heads[c] is the result of the piece after the boundary. tails[c] is that of the piece before it,
// if the run begins in that piece. The boundaries are the updates of the next level. Their targets
// are those of the runs, or -1 if the boundary is inside no run. Levels are added until one piece
// is enough.
constexpr i64 kScatterPiece = 64;

struct ScatterArgs {
  Interpreted body;
  int arrays, narrow;  // narrow: see StoreTarget
  i64 splits;
  i64 count;
  const void* targets;
  const void* order;   // null at later levels: updates are in order
  const Value* heads;  // results of the previous level; null at the first level
  const Value* tails;
  void* next_targets;
  Value* next_heads;
  Value* next_tails;
  int types[kPlacesMax];
  const void* updates[kPlacesMax];
  void* out[kPlacesMax];
};
HL_FN i64 ScatterTarget(const ScatterArgs& a, i64 place) {
  const i64* order = static_cast<const i64*>(a.order);
  return LoadTarget(a.targets, a.narrow, order != nullptr ? order[place] : place);
}
template <class F>
HL_FN void ScatterCombine(const F& f, int arrays, Value* left, const Value* right) {
  Value operands[2 * kPlacesMax], results[kPlacesMax];
  HL_UNROLL_ALL
  for (int k = 0; k < arrays; ++k) {
    operands[k] = left[k];
    operands[arrays + k] = right[k];
  }
  f.Call(operands, results);
  HL_UNROLL_ALL
  for (int k = 0; k < arrays; ++k) left[k] = results[k];
}
// Loads the update at this position. `first` is true for the first update of a run.
template <class F>
HL_FN void ScatterUpdate(const ScatterArgs& a, const F& f, int arrays, i64 place, bool first,
                         Value* update) {
  if (a.heads == nullptr) {
    const i64 from = static_cast<const i64*>(a.order)[place];
    HL_UNROLL_ALL
    for (int k = 0; k < arrays; ++k) {
      update[k] = Load(f.ArrayType(a.types, k), a.updates[k], from);
    }
    return;
  }
  const Value* head = a.heads + place * arrays;
  HL_UNROLL_ALL
  for (int k = 0; k < arrays; ++k) update[k] = first ? a.tails[place * arrays + k] : head[k];
  if (first) ScatterCombine(f, arrays, update, head);
}
// Folds a run into `sum`, from position i on. Returns the end of the run, or of its piece.
template <class F>
HL_FN i64 ScatterFold(const ScatterArgs& a, const F& f, int arrays, i64 i, i64 target, Value* sum) {
  Value update[kPlacesMax];
  for (; i < a.count && ScatterTarget(a, i) == target; ++i) {
    if (a.splits != 0 && i % kScatterPiece == 0) break;
    ScatterUpdate(a, f, arrays, i, false, update);
    ScatterCombine(f, arrays, sum, update);
  }
  return i;
}
template <class F>
HL_FN void ScatterApply(const ScatterArgs& a, const F& f, int arrays, i64 target,
                        const Value* update) {
  Value sum[kPlacesMax];
  HL_UNROLL_ALL
  for (int k = 0; k < arrays; ++k) sum[k] = Load(f.ArrayType(a.types, k), a.out[k], target);
  ScatterCombine(f, arrays, sum, update);
  HL_UNROLL_ALL
  for (int k = 0; k < arrays; ++k) Store(f.ArrayType(a.types, k), a.out[k], target, sum[k]);
}
template <class F>
HL_FN void ScatterWhole(const ScatterArgs& a, const F& f, int arrays, i64 i, i64 target) {
  Value sum[kPlacesMax], update[kPlacesMax];
  HL_UNROLL_ALL
  for (int k = 0; k < arrays; ++k) sum[k] = Load(f.ArrayType(a.types, k), a.out[k], target);
  ScatterUpdate(a, f, arrays, i, true, update);
  ScatterCombine(f, arrays, sum, update);
  ScatterFold(a, f, arrays, i + 1, target, sum);
  HL_UNROLL_ALL
  for (int k = 0; k < arrays; ++k) Store(f.ArrayType(a.types, k), a.out[k], target, sum[k]);
}
// Processes one position of a level per thread.
template <class F>
HL_FN void ScatterAt(const ScatterArgs& a, const F& f, i64 i) {
  const int arrays = f.Arrays(a.arrays);
  const i64 target = ScatterTarget(a, i);
  const bool first = target >= 0 && (i == 0 || ScatterTarget(a, i - 1) != target);
  if (a.splits == 0) {
    if (first) ScatterWhole(a, f, arrays, i, target);
    return;
  }
  const bool border = i % kScatterPiece == 0, goes_through = border && target >= 0 && !first;
  if (border) {
    StoreTarget(a.next_targets, a.narrow, i / kScatterPiece, goes_through ? target : -1);
  }
  if (!first && !goes_through) return;
  Value sum[kPlacesMax];
  ScatterUpdate(a, f, arrays, i, first, sum);
  const i64 end = ScatterFold(a, f, arrays, i + 1, target, sum);
  const bool whole = end == a.count || ScatterTarget(a, end) != target;
  if (first && whole) {
    ScatterApply(a, f, arrays, target, sum);
    return;
  }
  Value* to = (first ? a.next_tails + end / kScatterPiece * arrays
                     : a.next_heads + i / kScatterPiece * arrays);
  HL_UNROLL_ALL
  for (int k = 0; k < arrays; ++k) to[k] = sum[k];
}

// Returns the contents of the memory, and replaces them by `next` if they are `expected`. This is
// atomic on a GPU. The host has one thread.
template <class Bits>
HL_FN Bits CompareAndSwap(Bits* at, Bits expected, Bits next) {
#ifdef __CUDACC__
  return atomicCAS(at, expected, next);
#else
  const Bits found = *at;
  if (found == expected) *at = next;
  return found;
#endif
}

// A scatter whose threads each apply one update, in any order. Requires unique targets, or a single
// array with elements of 4 or 8 bytes.
struct ScatterDirectArgs {
  IndexedWindows windows;
  const void* indices;
  Interpreted body;
  int type, unique;
  const void* updates;
  void* out;
};
template <class Bits, class F>
HL_FN void CombineAtomically(const ScatterDirectArgs& a, const F& f, Bits* at, Value update) {
  const int type = f.ArrayType(&a.type, 0);
  Value operands[2], result;
  operands[1] = update;
  for (Bits seen = *at;;) {
    operands[0] = FromBits(type, seen);
    f.Call(operands, &result);
    const Bits found = CompareAndSwap(at, seen, static_cast<Bits>(ToBits(type, result)));
    if (found == seen) return;
    seen = found;
  }
}
template <class F>
HL_FN void ScatterDirectAt(const ScatterDirectArgs& a, const F& f, i64 i) {
  const i64 target = TargetOf(a.windows, a.indices, false, i);
  if (target < 0) return;
  const int type = f.ArrayType(&a.type, 0);
  Value operands[2], result;
  operands[1] = Load(type, a.updates, i);
  if (a.unique != 0) {
    operands[0] = Load(type, a.out, target);
    f.Call(operands, &result);
    Store(type, a.out, target, result);
  } else if (BytesOf(type) == 8) {
    CombineAtomically(a, f, static_cast<u64*>(a.out) + target, operands[1]);
  } else {
    CombineAtomically(a, f, static_cast<u32*>(a.out) + target, operands[1]);
  }
}

struct FillArgs {
  int bytes, reserved;
  const void* value;
  void* out;
};
HL_FN void FillAt(const FillArgs& a, i64 i) { CopyElement(a.bytes, a.value, 0, a.out, i); }

// Copies bits between elements of different widths, in order, beginning with the low bits.
struct RepackArgs {
  int from_bits, to_bits, to_type, reserved;
  const void* in;
  void* out;
};
HL_FN void RepackAt(const RepackArgs& a, i64 i) {
  u64 words[2] = {0, 0};
  const int from_bytes = a.from_bits < 8 ? 1 : a.from_bits / 8;
  const int step = a.from_bits > 64 ? 64 : a.from_bits;
  for (int bit = 0; bit < a.to_bits;) {
    const i64 place = i * a.to_bits + bit;
    const i64 element = place / a.from_bits;
    const int within = static_cast<int>(place % a.from_bits);
    u64 bits = from_bytes == 16 ? LoadBits(8, a.in, 2 * element + within / 64)
                                : LoadBits(from_bytes, a.in, element);
    bits = bits << (64 - step) >> (64 - step) >> (within % step);
    const int taken = step - within % step;
    words[bit / 64] |= bits << (bit % 64);
    bit += taken;
  }
  if (a.to_bits == 128) {
    static_cast<u64*>(a.out)[2 * i] = words[0];
    static_cast<u64*>(a.out)[2 * i + 1] = words[1];
    return;
  }
  u64 bits = words[0];
  if (a.to_bits < 64) bits = bits << (64 - a.to_bits) >> (64 - a.to_bits);
  const int of = ClassOf(a.to_type);
  if (of == kClassPred || of == kClassSigned) bits = Wrap(a.to_type, bits);
  StoreBits(a.to_bits < 8 ? 1 : a.to_bits / 8, a.out, i, bits);
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_SCATTER_H_
