// What goes where indices say: boxes, gather, scatter. Updates that meet at one element are applied
// in their order: targets are sorted (sort.h), and the first of each run applies the whole run.
#ifndef HLOCTS_BACKENDS_CUDA_DEVICE_SCATTER_H_
#define HLOCTS_BACKENDS_CUDA_DEVICE_SCATTER_H_

#include "backends/cuda/device/kernels.h"

namespace hl {

// An index as s64; u64 beyond that is the largest.
HL_CALL i64 IndexAt(int type, const void* array, i64 i) {
  const Value v = Load(type, array, i);
  return type == kU64 && v.s < 0 ? 0x7fffffffffffffffll : v.s;
}
HL_FN i64 Clamped(i64 x, i64 least, i64 most) { return x < least ? least : x > most ? most : x; }

// Elements from one box to another. On one side the box may begin where scalars in memory say.
struct BoxArgs {
  int bytes, starts;  // starts: how many dimensions begin at run time, 0: none
  int moves_target, index_type;
  View from, to;
  const void* in;
  void* out;
  i64 last[kRankMax];  // largest start
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

// pad: each element of the result from the operand, or the padding value.
struct PadArgs {
  int bytes, rank;
  const void* in;
  const void* value;
  void* out;
  i64 size[kRankMax], low[kRankMax], interior[kRankMax], operand[kRankMax], stride[kRankMax];
};
HL_FN void PadAt(const PadArgs& a, i64 i) {
  i64 left = i, at = 0;
  bool inside = true;
  for (int d = a.rank - 1; d >= 0; --d) {
    const i64 place = left % a.size[d] - a.low[d], step = a.interior[d] + 1;
    left /= a.size[d];
    inside = inside && place >= 0 && place % step == 0 && place / step < a.operand[d];
    at += place / step * a.stride[d];
  }
  if (inside) {
    CopyElement(a.bytes, a.in, at, a.out, i);
  } else {
    CopyElement(a.bytes, a.value, 0, a.out, i);
  }
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
  const void* indices;
};
// Where element i of the batched array lies in the operand; -1: nowhere.
HL_CALL i64 TargetOf(const IndexedWindows& w, bool clamp, i64 i) {
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
        IndexAt(w.index_type, w.indices, index_at + c * w.component_stride);
  }
  for (int d = 0; d < w.operand_rank; ++d) {
    const i64 last = w.last[d] < 0 ? 0 : w.last[d];
    if (clamp) start[d] = Clamped(start[d], 0, last);
    if (start[d] < 0 || start[d] > w.last[d]) return -1;
    at += start[d] * w.stride[d];
  }
  return at;
}

struct GatherArgs {
  IndexedWindows windows;
  int bytes, reserved;
  const void* in;
  void* out;
};
HL_FN void GatherAt(const GatherArgs& a, i64 i) {
  CopyElement(a.bytes, a.in, TargetOf(a.windows, true, i), a.out, i);
}

struct TargetArgs {
  IndexedWindows windows;
  void* targets;  // i64
};
HL_FN void TargetAt(const TargetArgs& a, i64 i) {
  static_cast<i64*>(a.targets)[i] = TargetOf(a.windows, false, i);
}

// order: positions of updates, sorted stably by target. The first of a run of one target applies
// all of it, so each element has one writer.
struct ScatterArgs {
  Interpreted body;
  int arrays, reserved;
  i64 count;
  const void* targets;
  const void* order;
  int types[kPlacesMax];
  const void* updates[kPlacesMax];
  void* out[kPlacesMax];
};
template <class F>
HL_FN void ScatterAt(const ScatterArgs& a, const F& f, i64 i) {
  const i64* targets = static_cast<const i64*>(a.targets);
  const i64* order = static_cast<const i64*>(a.order);
  const i64 target = targets[order[i]];
  if (target < 0 || (i > 0 && targets[order[i - 1]] == target)) return;
  Value operands[2 * kPlacesMax], results[kPlacesMax];
  for (int k = 0; k < a.arrays; ++k) operands[k] = Load(a.types[k], a.out[k], target);
  for (; i < a.count && targets[order[i]] == target; ++i) {
    for (int k = 0; k < a.arrays; ++k) {
      operands[a.arrays + k] = Load(a.types[k], a.updates[k], order[i]);
    }
    f.Call(operands, results);
    for (int k = 0; k < a.arrays; ++k) operands[k] = results[k];
  }
  for (int k = 0; k < a.arrays; ++k) Store(a.types[k], a.out[k], target, operands[k]);
}

// What the memory held, and holds still unless that was `expected`. Of the host's one thread no
// other.
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

// Thread: one update, in no order. One array whose elements are 4 or 8 bytes, or whose targets are
// unique.
struct ScatterDirectArgs {
  IndexedWindows windows;
  Interpreted body;
  int type, unique;
  const void* updates;
  void* out;
};
template <class Bits, class F>
HL_FN void CombineAtomically(const ScatterDirectArgs& a, const F& f, Bits* at, Value update) {
  Value operands[2], result;
  operands[1] = update;
  for (Bits seen = *at;;) {
    operands[0] = FromBits(a.type, seen);
    f.Call(operands, &result);
    const Bits found = CompareAndSwap(at, seen, static_cast<Bits>(ToBits(a.type, result)));
    if (found == seen) return;
    seen = found;
  }
}
template <class F>
HL_FN void ScatterDirectAt(const ScatterDirectArgs& a, const F& f, i64 i) {
  const i64 target = TargetOf(a.windows, false, i);
  if (target < 0) return;
  Value operands[2], result;
  operands[1] = Load(a.type, a.updates, i);
  if (a.unique != 0) {
    operands[0] = Load(a.type, a.out, target);
    f.Call(operands, &result);
    Store(a.type, a.out, target, result);
  } else if (BytesOf(a.type) == 8) {
    CombineAtomically(a, f, static_cast<u64*>(a.out) + target, operands[1]);
  } else {
    CombineAtomically(a, f, static_cast<u32*>(a.out) + target, operands[1]);
  }
}

// The same element everywhere.
struct FillArgs {
  int bytes, reserved;
  const void* value;
  void* out;
};
HL_FN void FillAt(const FillArgs& a, i64 i) { CopyElement(a.bytes, a.value, 0, a.out, i); }

// Bits in order, first element in the low bits, between elements of different widths.
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

#endif  // HLOCTS_BACKENDS_CUDA_DEVICE_SCATTER_H_
