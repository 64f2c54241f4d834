// SPDX-License-Identifier: Apache-2.0
// argmin and argmax. They compare the integer keys by which sort orders elements. For argmin keys
// are inverted, so that the largest key always wins.
#include <algorithm>

#include "backends/engine/cpu/kernels/reduce/reduce.h"
#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/sort/sort_keys.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/kernels/reduce/arg_reduce.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::kernels {
namespace HWY_NAMESPACE {

constexpr int64_t kBlock = 1024;

// Computes keys of elements. In KeyOrder::kNumeric all NaNs have the same key: the largest one, or
// 0 if keys are inverted. If nan_wins requires the opposite, this key is replaced by the other end
// of the range, which is no number's key.
template <typename U>
class Keys {
 public:
  explicit Keys(const ArgReduceRequest& r)
      : code_(MakeKeyCode<U>(r.type, KeyOrder::kNumeric, !r.maximum)),
        nan_(r.maximum ? std::numeric_limits<U>::max() : U{0}),
        moves_nan_(code_.joins_nans && r.maximum != r.nan_wins) {}

  void Of(const U* from, int64_t count, U* keys) const {
    EncodeKeys(code_, from, 1, count, keys);
    if (!moves_nan_) return;
    for (int64_t i = 0; i < count; ++i) {
      keys[i] = keys[i] == nan_ ? static_cast<U>(~nan_) : keys[i];
    }
  }

 private:
  KeyCode<U> code_;
  U nan_;
  bool moves_nan_;
};

template <typename U>
U Largest(const U* keys, int64_t count) {
  U best = 0;
  for (int64_t i = 0; i < count; ++i) best = keys[i] > best ? keys[i] : best;
  return best;
}

template <typename U>
int64_t PlaceOf(const U* keys, int64_t count, U best, bool first) {
  if (first) return std::find(keys, keys + count, best) - keys;
  while (keys[--count] != best) {
  }
  return count;
}

// Returns the position of the largest key of a short row. A vector after the row must be readable.
template <typename U>
int64_t BestOfShortRow(const U* keys, int64_t count, bool first) {
  if constexpr (sizeof(U) >= 4) {
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::ScalableTag<U> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto at = [&](int64_t i) HWY_ATTR {
      return hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(std::min(lanes, count - i))),
                                hn::LoadU(d, keys + i));
    };
    auto best = at(0);
    for (int64_t i = lanes; i < count; i += lanes) best = hn::Max(best, at(i));
    best = hn::MaxOfLanes(d, best);
    for (int64_t i = 0; first; i += lanes) {
      const intptr_t place = hn::FindFirstTrue(d, hn::Eq(at(i), best));
      if (place >= 0) return i + place;
    }
    return PlaceOf(keys, count, hn::GetLane(best), first);
  }
  return PlaceOf(keys, count, Largest(keys, count), first);
}

// Searches contiguous elements, one block at a time. The position in a block is determined only if
// the block has a better element.
template <typename U>
int64_t BestOfRow(const ArgReduceRequest& r, const Keys<U>& code, const U* row) {
  U keys[kBlock], best = 0;
  int64_t place = 0;
  for (int64_t i = 0; i < r.size; i += kBlock) {
    const int64_t count = std::min(kBlock, r.size - i);
    code.Of(row + i, count, keys);
    const U largest = Largest(keys, count);
    if (i > 0 && (largest < best || (largest == best && r.tie_low_index))) continue;
    best = largest;
    place = i + PlaceOf(keys, count, best, r.tie_low_index);
  }
  return place;
}

// Searches a tile of columns row by row. Keeps the best key and position of each column.
template <typename U>
void BestOfColumns(const ArgReduceRequest& r, const Keys<U>& code, const U* from, int64_t count,
                   int64_t* places) {
  U best[kBlock], keys[kBlock];
  code.Of(from, count, best);
  std::fill(places, places + count, 0);
  for (int64_t i = 1; i < r.size; ++i) {
    code.Of(from + i * r.inner, count, keys);
    for (int64_t j = 0; j < count; ++j) {
      const bool better = r.tie_low_index ? keys[j] > best[j] : keys[j] >= best[j];
      places[j] = better ? i : places[j];
      best[j] = better ? keys[j] : best[j];
    }
  }
}

// Stores results [at, at + count). The first elements of their lines are `step` apart.
template <typename U>
void Store(const ArgReduceRequest& r, const U* from, int64_t step, int64_t at, int64_t count,
           const int64_t* places) {
  for (int64_t j = 0; j < count; ++j) {
    const U& best = from[places[j] * r.inner + j * step];
    if (r.values != nullptr) static_cast<U*>(r.values)[at + j] = best;
    if (BitWidth(r.index_type) == 64) {
      static_cast<int64_t*>(r.indices)[at + j] = places[j];
    } else {
      static_cast<int32_t*>(r.indices)[at + j] = static_cast<int32_t>(places[j]);
    }
  }
}

// Searches rows [begin, end) of contiguous elements. Computes keys of several short rows together.
template <typename U>
void RunRows(const ArgReduceRequest& r, const Keys<U>& code, int64_t begin, int64_t end) {
  const int64_t together = std::max<int64_t>(1, kBlock / r.size);
  int64_t places[kBlock];
  U keys[kBlock + HWY_MAX_BYTES / sizeof(U)];
  for (int64_t row = begin; row < end; row += together) {
    const int64_t rows = std::min(together, end - row);
    const U* from = static_cast<const U*>(r.operand) + row * r.size;
    if (r.size <= kBlock) code.Of(from, rows * r.size, keys);
    for (int64_t i = 0; i < rows; ++i) {
      places[i] = r.size > kBlock ? BestOfRow(r, code, from)
                                  : BestOfShortRow(keys + i * r.size, r.size, r.tie_low_index);
    }
    Store(r, from, r.size, row, rows, places);
  }
}

// Searches columns in units of kBlock columns.
template <typename U>
void RunColumns(const ArgReduceRequest& r, const Keys<U>& code, int64_t unit, int64_t end) {
  const int64_t tiles = (r.inner + kBlock - 1) / kBlock;
  int64_t places[kBlock];
  for (; unit < end; ++unit) {
    const int64_t outer = unit / tiles, first = unit % tiles * kBlock;
    const int64_t count = std::min(kBlock, r.inner - first);
    const U* from = static_cast<const U*>(r.operand) + outer * r.size * r.inner + first;
    BestOfColumns(r, code, from, count, places);
    Store(r, from, 1, outer * r.inner + first, count, places);
  }
}

void Run(const Parallel& parallel, const ArgReduceRequest& r) {
  VisitUnsigned(StorageBytes(r.type), [&](auto zero) HWY_ATTR {
    const Keys<decltype(zero)> code(r);
    const double cost = 0.2 * r.size * std::min(r.inner, kBlock) + 20;
    const auto run = r.inner == 1 ? RunRows<decltype(zero)> : RunColumns<decltype(zero)>;
    parallel.For(r.outer * ((r.inner + kBlock - 1) / kBlock), cost,
                 [&](int64_t begin, int64_t end) { run(r, code, begin, end); });
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::kernels {
HWY_EXPORT(Run);
namespace {

bool IsIndexType(PrimitiveType type) {
  return type == PrimitiveType::kS32 || type == PrimitiveType::kU32 ||
         type == PrimitiveType::kS64 || type == PrimitiveType::kU64;
}

}  // namespace

absl::Status ArgReduce(const Parallel& parallel, const ArgReduceRequest& r) {
  if (!IsArrayType(r.type) || IsComplex(r.type) || !IsIndexType(r.index_type)) {
    return Unsupported("argmin or argmax of ", PrimitiveTypeName(r.type), " with indices of ",
                       PrimitiveTypeName(r.index_type), " is not supported");
  }
  int64_t count = 1;
  HLOCTS_RETURN_IF_ERROR(CountElements({r.outer, r.size, r.inner}, count));
  if (r.outer == 0 || r.inner == 0) return absl::OkStatus();
  if (r.size == 0) return InvalidInput("argmin or argmax: expected at least one element");
  HWY_DYNAMIC_DISPATCH(Run)(parallel, r);
  return absl::OkStatus();
}

}  // namespace hlocts::kernels
#endif
