// SPDX-License-Identifier: Apache-2.0
// Steps before and after library calls: conversions to a library's layout and type, sort keys.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_LIBRARY_STEPS_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_LIBRARY_STEPS_H_

#include "backends/engine/cuda/device/linear.h"

namespace hl {

// Converts the elements that a view selects to another type.
struct CastArgs {
  View view;
  int from, to;
  const void* in;
  void* out;
};
HL_FN void CastAt(const CastArgs& a, i64 i) {
  Store(a.to, a.out, i, Convert(a.from, a.to, Load(a.from, a.in, OffsetOf(a.view, i))));
}

// Prepares a radix sort of rows by unsigned keys. The elements of a row are `inner` apart. A value
// v denotes element v % size of row v / size. The values are 0, 1, ..., or, if `sorted`, in the
// order of an earlier sort by a less significant key.
struct SortKeyArgs {
  int type, descending;
  int zeros_are_equal, sorted;
  int key_bytes;       // 4 or 8
  int row_shift;       // the row's number is above this bit of the key; -1: not in the key
  int nans_are_equal;  // all NaNs have the rank of a positive NaN
  i64 size, inner;
  const void* in;
  void* keys;
  u32* values;
  i64* order;
};
// Returns v's rank in the total order. nans_are_equal has an effect on IEEE 754 formats only.
HL_FN u64 RankOf(int type, bool zeros_are_equal, bool nans_are_equal, Value v) {
  const int of = ClassOf(type);
  const int bits = BitsOf(type);
  const u64 all = bits == 64 ? ~0ull : (1ull << bits) - 1;
  u64 x = ToBits(type, v) & all;
  if (of == kClassPred || of == kClassUnsigned) return x;
  if (of == kClassSigned) return x ^ 1ull << (bits - 1);
  const u64 sign = SignCode(FormatOf(type));
  if (sign == 0) return x;
  if (zeros_are_equal && x == sign) x = 0;
  if (nans_are_equal && IsNanCode(FormatOf(type), x)) x = NanCode(FormatOf(type), 0);
  return (x & sign) != 0 ? ~x & all : x | sign;
}
// Returns the sort key of v. Elements with smaller keys come first.
HL_FN u64 SortKey(int type, bool descending, bool zeros_are_equal, bool nans_are_equal, Value v) {
  const u64 key = RankOf(type, zeros_are_equal, nans_are_equal, v);
  const int bits = BitsOf(type);
  return descending ? ~key & (bits == 64 ? ~0ull : (1ull << bits) - 1) : key;
}
HL_FN void SortKeyAt(const SortKeyArgs& a, i64 i) {
  const i64 value = a.sorted != 0 ? a.values[i] : i;
  const i64 row = value / a.size, place = value % a.size;
  const i64 at = (row / a.inner * a.size + place) * a.inner + row % a.inner;
  u64 key = SortKey(a.type, a.descending != 0, a.zeros_are_equal != 0, a.nans_are_equal != 0,
                    Load(a.type, a.in, at));
  if (a.row_shift >= 0) key |= static_cast<u64>(row) << a.row_shift;
  StoreBits(a.key_bytes, a.keys, i, key);
  a.values[i] = static_cast<u32>(value);
}
// Sets *values, which must be 0 before, to 1 if element i of `in` is a NaN.
HL_FN void HasNanAt(const SortKeyArgs& a, i64 i) {
  const Value v = Load(a.type, a.in, i);
  if (ClassOf(a.type) == kClassDouble ? IsNan(v.d) : IsNan(v.f)) *a.values = 1;
}
// Computes the keys of the second pass: the row of each value that the first pass sorted.
HL_FN void SortRowAt(const SortKeyArgs& a, i64 i) {
  StoreBits(a.key_bytes, a.keys, i, static_cast<u64>(a.values[i] / a.size));
}
// Converts the sorted values to positions in their rows.
HL_FN void SortedOrderAt(const SortKeyArgs& a, i64 i) { a.order[i] = a.values[i] % a.size; }

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_LIBRARY_STEPS_H_
