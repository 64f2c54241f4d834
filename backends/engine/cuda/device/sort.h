// SPDX-License-Identifier: Apache-2.0
// A stable merge sort of positions. Each pass merges pairs of runs of equal width. A thread writes
// one chunk of a merged pair. Bisection finds a chunk's split: how much of the left run precedes
// it. Splits are made monotone, so any comparator, even an inconsistent one, yields a
// permutation.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_SORT_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_SORT_H_

#include "backends/engine/cuda/device/scatter.h"

namespace hl {

constexpr i64 kSortChunk = 64;

// In the arrays a row's elements are `inner` apart. Rows of `order` and `next` are contiguous.
struct SortArgs {
  Interpreted body;
  int arrays, reserved;
  i64 size, inner;
  i64 width;          // length of the runs that are merged
  i64 chunk, chunks;  // elements of a chunk; number of chunks (splits) of a row
  i64* order;
  i64* next;
  i64* splits;
  int types[kPlacesMax];
  const void* in[kPlacesMax];
};

HL_FN i64 RowStart(const SortArgs& a, i64 row) {
  return row / a.inner * a.size * a.inner + row % a.inner;
}
// Returns true if the element at position p of the row must precede that at position q.
template <class F>
HL_FN bool IsLess(const SortArgs& a, const F& f, i64 row, i64 p, i64 q) {
  const int arrays = f.Arrays(a.arrays);
  Value pairs[2 * kPlacesMax], less;
  const i64 start = RowStart(a, row);
  HL_UNROLL_ALL
  for (int k = 0; k < arrays; ++k) {
    pairs[2 * k] = Load(f.ArrayType(a.types, k), a.in[k], start + p * a.inner);
    pairs[2 * k + 1] = Load(f.ArrayType(a.types, k), a.in[k], start + q * a.inner);
  }
  f.Call(pairs, &less);
  return less.u != 0;
}

HL_FN void SortStartAt(const SortArgs& a, i64 i) { a.order[i] = i % a.size; }

// Returns how many of the first `diagonal` elements of a merged pair come from the left run.
template <class F>
HL_FN i64 SplitOf(const SortArgs& a, const F& f, i64 row, i64 begin, i64 diagonal) {
  const i64* order = a.order + row * a.size;
  const i64 left = Clamped(a.size - begin, 0, a.width);
  const i64 right = Clamped(a.size - begin - left, 0, a.width);
  i64 low = diagonal > right ? diagonal - right : 0, high = diagonal < left ? diagonal : left;
  while (low < high) {
    const i64 middle = (low + high) / 2;
    const i64 p = order[begin + middle], q = order[begin + left + diagonal - middle - 1];
    if (IsLess(a, f, row, q, p)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}
// Finds the split of one chunk per thread.
template <class F>
HL_FN void SortSplitAt(const SortArgs& a, const F& f, i64 i) {
  const i64 row = i / a.chunks, place = i % a.chunks * a.chunk;
  const i64 begin = place / (2 * a.width) * (2 * a.width);
  a.splits[i] = SplitOf(a, f, row, begin, place - begin);
}

// Makes the splits of one pair of runs monotone and within both runs, in one thread.
HL_FN void SortRepairAt(const SortArgs& a, i64 i) {
  const i64 pairs = (a.size + 2 * a.width - 1) / (2 * a.width);
  const i64 row = i / pairs, begin = i % pairs * 2 * a.width;
  const i64 left = Clamped(a.size - begin, 0, a.width);
  const i64 right = Clamped(a.size - begin - left, 0, a.width);
  i64 before = 0;
  for (i64 at = 0; at < 2 * a.width && begin + at < a.size; at += a.chunk) {
    i64& split = a.splits[row * a.chunks + (begin + at) / a.chunk];
    const i64 least = at == 0 ? 0 : before > at - right ? before : at - right;
    const i64 most = at == 0 ? 0 : before + a.chunk < left ? before + a.chunk : left;
    split = Clamped(split, least, most);
    before = split;
  }
}

// Merges one chunk of a row per thread.
template <class F>
HL_FN void SortMergeAt(const SortArgs& a, const F& f, i64 i) {
  const i64 row = i / a.chunks, place = i % a.chunks * a.chunk;
  const i64 begin = place / (2 * a.width) * (2 * a.width);
  const i64 left = Clamped(a.size - begin, 0, a.width);
  const i64 end = Clamped(a.size - begin, 0, 2 * a.width);
  const i64 until = place - begin + a.chunk < end ? place - begin + a.chunk : end;
  const i64* order = a.order + row * a.size + begin;
  i64* next = a.next + row * a.size + begin;
  i64 p = a.splits[i], q = place - begin - p;
  const i64 p_end = until == end ? left : a.splits[i + 1], q_end = until - p_end;
  for (i64 at = place - begin; at < until; ++at) {
    const bool right = p == p_end || (q < q_end && IsLess(a, f, row, order[left + q], order[p]));
    next[at] = right ? order[left + q++] : order[p++];
  }
}

// Moves one element of an array to its sorted position per thread.
struct PermuteArgs {
  int bytes, reserved;
  i64 size, inner, taken;  // taken: number of elements to keep in each row
  const i64* order;
  const void* in;
  void* out;
};
HL_FN void PermuteAt(const PermuteArgs& a, i64 i) {
  const i64 inner = i % a.inner, at = i / a.inner % a.taken, outer = i / a.inner / a.taken;
  const i64 from = a.order[(outer * a.inner + inner) * a.size + at];
  CopyElement(a.bytes, a.in, (outer * a.size + from) * a.inner + inner, a.out, i);
}
// Stores sorted positions as integers of a type.
HL_FN void PositionsAt(const PermuteArgs& a, int type, i64 i) {
  const i64 inner = i % a.inner, at = i / a.inner % a.taken, outer = i / a.inner / a.taken;
  Value v;
  v.s = a.order[(outer * a.inner + inner) * a.size + at];
  Store(type, a.out, i, v);
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_SORT_H_
