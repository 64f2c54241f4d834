// SPDX-License-Identifier: Apache-2.0
// argmin and argmax on integer keys: every type maps to a signed integer of its width, in which the
// order wanted is plain "greater", equal values are equal and NaN is the largest or the smallest.
#include <algorithm>
#include <limits>

#include "backends/engine/cpu/kernels/reduce/reduce.h"
#include "backends/engine/cpu/kernels/reduce/reduce_table_isa.h"
#include "backends/engine/cpu/kernels/runtime/convert_isa.h"
#include "backends/engine/cpu/kernels/runtime/entries_isa.h"
#include "spec/ir/number_type.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int64_t kBlock = 1024;

// The key of a value: larger is better. Key 0 of the type's range is left for NaN that loses.
template <typename Key, typename Value>
HLOCTS_INLINE Key KeyOf(Value value, bool maximum, bool nan_wins) {
  using Limits = std::numeric_limits<Key>;
  if constexpr (std::is_floating_point_v<Value>) {
    const Value positive_zero = value + Value(0);  // -0 and +0 are equal
    Key bits = std::bit_cast<Key>(positive_zero);
    bits = bits < 0 ? bits ^ Limits::max() : bits;
    const Key key = maximum ? bits : static_cast<Key>(~bits);
    return value != value ? (nan_wins ? Limits::max() : Limits::min()) : key;
  } else {
    Key key = static_cast<Key>(value);
    if (std::is_unsigned_v<Value> && sizeof(Value) == sizeof(Key)) key ^= Limits::min();
    return maximum ? key : static_cast<Key>(~key);
  }
}

// Elements are read as float, double or integers of at least 32 bits, so that two key widths do.
template <PrimitiveType kType>
using KeyFor = std::conditional_t<(sizeof(NativeOf<kType>) > 4), int64_t, int32_t>;

template <PrimitiveType kType>
void LoadKeys(const NativeOf<kType>* from, int64_t count, const ArgReduceRequest& request,
              KeyFor<kType>* keys) {
  const bool maximum = request.maximum, nan_wins = request.nan_wins;
  for (int64_t i = 0; i < count; ++i) {
    keys[i] = KeyOf<KeyFor<kType>>(DecodeElement<kType>(from[i]), maximum, nan_wins);
  }
}

template <typename Key>
Key Largest(const Key* keys, int64_t count) {
  Key best = keys[0];
#pragma omp simd reduction(max : best)
  for (int64_t i = 0; i < count; ++i) best = std::max(best, keys[i]);
  return best;
}

// The first (last) element of the row that equals `best`, which is there.
template <typename T>
int64_t PlaceOf(const T* row, int64_t size, T best, bool first) {
  constexpr int64_t kPiece = 128;
  const int64_t pieces = (size + kPiece - 1) / kPiece;
  for (int64_t n = 0; n < pieces; ++n) {
    const int64_t begin = (first ? n : pieces - 1 - n) * kPiece;
    const int64_t count = std::min(kPiece, size - begin);
    int32_t found = 0;
#pragma omp simd reduction(| : found)
    for (int64_t i = 0; i < count; ++i) found |= row[begin + i] == best ? 1 : 0;
    for (int64_t i = 0; found != 0 && i < count; ++i) {
      const int64_t at = begin + (first ? i : count - 1 - i);
      if (row[at] == best) return at;
    }
  }
  return 0;
}

// Whether elements are compared as they are stored.
constexpr bool IsPlain(PrimitiveType type) {
  return VisitNumberType<bool>(type, [](auto) { return true; });
}

// Where no NaN is: the largest value, then its place. False where one is.
template <PrimitiveType kType>
bool BestOfPlainRow(const NativeOf<kType>* row, const ArgReduceRequest& request,
                    const ReduceOps& ops, int64_t& place) {
  NativeOf<kType> best;
  ops.fill(&best, 1);
  ops.row(row, request.size, &best);
  if (best != best) return false;
  place = PlaceOf(row, request.size, best, request.tie_low_index);
  return true;
}

// A contiguous row, a block at a time; a block is searched only if it holds something better.
template <PrimitiveType kType>
int64_t BestOfRow(const NativeOf<kType>* row, const ArgReduceRequest& request) {
  using Key = KeyFor<kType>;
  Key keys[kBlock], best = std::numeric_limits<Key>::min();
  int64_t block_of_best = -1;
  for (int64_t i = 0; i < request.size; i += kBlock) {
    const int64_t count = std::min(kBlock, request.size - i);
    LoadKeys<kType>(row + i, count, request, keys);
    const Key largest = Largest(keys, count);
    const bool better =
        block_of_best < 0 || largest > best || (largest == best && !request.tie_low_index);
    if (better) best = largest, block_of_best = i;
  }
  const int64_t count = std::min(kBlock, request.size - block_of_best);
  LoadKeys<kType>(row + block_of_best, count, request, keys);
  if (request.tie_low_index) return block_of_best + (std::find(keys, keys + count, best) - keys);
  for (int64_t j = count - 1;; --j) {
    if (keys[j] == best) return block_of_best + j;
  }
}

// A tile of columns: keys and positions of the best so far, row after row.
template <PrimitiveType kType>
void BestOfColumns(const NativeOf<kType>* from, const ArgReduceRequest& request, int64_t count,
                   int64_t* positions) {
  using Key = KeyFor<kType>;
  Key best[kBlock], keys[kBlock];
  LoadKeys<kType>(from, count, request, best);
  std::fill(positions, positions + count, 0);
  for (int64_t i = 1; i < request.size; ++i) {
    LoadKeys<kType>(from + i * request.inner, count, request, keys);
    const Key margin = request.tie_low_index ? 0 : 1;
    for (int64_t j = 0; j < count; ++j) {
      const bool better = (keys[j] > best[j]) | ((keys[j] == best[j]) & (margin != 0));
      positions[j] = better ? i : positions[j];
      best[j] = better ? keys[j] : best[j];
    }
  }
}

template <PrimitiveType kType>
void StoreBest(const ArgReduceRequest& request, int64_t outer, int64_t first, int64_t count,
               const int64_t* positions) {
  const auto* from =
      static_cast<const NativeOf<kType>*>(request.operand) + outer * request.size * request.inner;
  const int64_t at = outer * request.inner + first;
  for (int64_t j = 0; j < count && request.values != nullptr; ++j) {
    static_cast<NativeOf<kType>*>(request.values)[at + j] =
        from[positions[j] * request.inner + first + j];
  }
  const int bytes = StorageBytes(request.index_type);
  EncodeRun(request.index_type, positions, count, 1,
            static_cast<char*>(request.indices) + at * bytes);
}

template <PrimitiveType kType>
void Run(const Parallel& parallel, const ArgReduceRequest& request) {
  const int64_t tiles = (request.inner + kBlock - 1) / kBlock;
  const ReduceOps ops =
      ReduceOpsFor(request.maximum ? ReduceKind::kMaximum : ReduceKind::kMinimum, kType);
  const double cost = 0.5 * request.size * std::min(request.inner, kBlock) + 20;
  parallel.For(request.outer * tiles, cost, [&](int64_t unit, int64_t end) {
    int64_t positions[kBlock];
    for (; unit < end; ++unit) {
      const int64_t outer = unit / tiles, first = unit % tiles * kBlock;
      const int64_t count = std::min(kBlock, request.inner - first);
      const auto* from = static_cast<const NativeOf<kType>*>(request.operand) +
                         outer * request.size * request.inner + first;
      if (request.inner == 1) {
        bool done = false;
        if constexpr (IsPlain(kType))
          done = BestOfPlainRow<kType>(from, request, ops, positions[0]);
        if (!done) positions[0] = BestOfRow<kType>(from, request);
      } else {
        BestOfColumns<kType>(from, request, count, positions);
      }
      StoreBest<kType>(request, outer, first, count, positions);
    }
  });
}

}  // namespace

absl::Status ArgReduceKernel(const Parallel& parallel, const ArgReduceRequest& request) {
  VisitArrayType(request.type, [&](auto tag) {
    constexpr PrimitiveType kType = decltype(tag)::value;
    if constexpr (!kIsComplex<NativeOf<kType>>) Run<kType>(parallel, request);
    return 0;
  });
  return absl::OkStatus();
}

}  // namespace hlocts::kernels::HLOCTS_ISA
