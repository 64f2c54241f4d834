// SPDX-License-Identifier: Apache-2.0
// Finds the first k elements of each row. Candidates are collected in a buffer, one block at a
// time. When the buffer is full, only the best k are kept. The low bits of a key are the position,
// so equal keys are ordered by index.
#include <algorithm>
#include <atomic>

#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "backends/engine/cpu/kernels/sort/sort.h"
#include "backends/engine/cpu/kernels/sort/sort_keys.h"
#include "backends/engine/cpu/kernels/sort/sort_unsigned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/kernels/sort/top_k.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kBlock = 128;  // at least the number of lanes of a vector
constexpr int64_t kMinBuffer = 512;

template <typename U>
using Packed = std::conditional_t<sizeof(U) == 8, Uint128, uint64_t>;

int64_t BufferSize(int64_t k) { return std::max(kMinBuffer, 2 * k + kBlock); }

template <typename U>
struct Candidates {
  Packed<U>* data;
  int64_t capacity, k, count = 0;
  U worst = 0;        // key of the k-th best element, if there are k
  bool full = false;  // if true, only keys below `worst` can be among the first k

  void Cut() {
    if (count <= k) return;
    std::nth_element(data, data + (k - 1), data + count);
    count = k;
    worst = static_cast<U>(data[k - 1] >> 32);
    full = true;
  }

  void Add(const U* keys, int64_t n, int64_t first) {
    const hn::ScalableTag<U> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    for (int64_t i = 0; i < n; i += lanes) {
      uint64_t wanted = ~uint64_t{0};  // bit j: keys[i + j] is a candidate
      if (full) {
        wanted = 0;
        hn::StoreMaskBits(d, hn::Lt(hn::LoadU(d, keys + i), hn::Set(d, worst)),
                          reinterpret_cast<uint8_t*>(&wanted));
      }
      const int64_t last = std::min(lanes, n - i);
      if (last < 64) wanted &= (uint64_t{1} << last) - 1;
      for (; wanted != 0; wanted &= wanted - 1) {
        const int64_t j = i + __builtin_ctzll(wanted);
        data[count++] = static_cast<Packed<U>>(keys[j]) << 32 | static_cast<uint32_t>(first + j);
      }
    }
    if (count + kBlock > capacity) Cut();
  }
};

template <typename U>
void Select(const KeyCode<U>& code, const U* row, int64_t begin, int64_t end, Candidates<U>& best) {
  U keys[kBlock];
  for (int64_t i = begin; i < end; i += kBlock) {
    const int64_t n = std::min(kBlock, end - i);
    EncodeKeys(code, row + i, 1, n, keys);
    best.Add(keys, n, i);
  }
  best.Cut();
}

template <typename U>
void StoreBest(const TopKRequest& request, int64_t row, const Packed<U>* best) {
  const U* in = static_cast<const U*>(request.input) + row * request.size;
  U* values = static_cast<U*>(request.values) + row * request.k;
  const bool wide = StorageBytes(request.index_type) == 8;
  for (int64_t i = 0; i < request.k; ++i) {
    const uint32_t at = static_cast<uint32_t>(best[i]);
    values[i] = in[at];
    if (request.indices == nullptr) continue;
    if (wide) {
      static_cast<int64_t*>(request.indices)[row * request.k + i] = at;
    } else {
      static_cast<uint32_t*>(request.indices)[row * request.k + i] = at;
    }
  }
}

template <typename U>
absl::Status RowsOf(const TopKRequest& request, const KeyCode<U>& code, int64_t begin,
                    int64_t end) {
  const int64_t capacity = BufferSize(request.k), bytes = capacity * sizeof(Packed<U>);
  const Scratch scratch(bytes);
  if (!scratch.ok()) return OutOfScratch(bytes);
  for (int64_t row = begin; row < end; ++row) {
    Candidates<U> best = {scratch.As<Packed<U>>(), capacity, request.k};
    const U* in = static_cast<const U*>(request.input) + row * request.size;
    Select(code, in, 0, request.size, best);
    HLOCTS_RETURN_IF_ERROR(SortUnsigned(Parallel(1), best.data, best.count));
    StoreBest<U>(request, row, best.data);
  }
  return absl::OkStatus();
}

template <typename U>
absl::Status RunIn(const Parallel& parallel, const TopKRequest& request) {
  const KeyCode<U> code = MakeKeyCode<U>(request.type, request.order, request.largest);
  std::atomic<bool> failed{false};
  parallel.For(request.rows, 1.0 * request.size + 20.0 * request.k, [&](int64_t i, int64_t end) {
    if (!RowsOf(request, code, i, end).ok()) failed = true;
  });
  return failed ? OutOfScratch(BufferSize(request.k) * 16) : absl::OkStatus();
}

absl::Status Run(const Parallel& parallel, const TopKRequest& request) {
  return VisitUnsigned(StorageBytes(request.type), [&](auto width) HWY_ATTR {
    return RunIn<decltype(width)>(parallel, request);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::kernels {
HWY_EXPORT(Run);

absl::Status TopK(const Parallel& parallel, const TopKRequest& request) {
  const PrimitiveType type = request.type, index = request.index_type;
  if (!IsArrayType(type) || IsComplex(type) || !IsInteger(index) || BitWidth(index) < 32) {
    return Unsupported("top-k of ", PrimitiveTypeName(type), " with indices of ",
                       PrimitiveTypeName(index), " is not supported");
  }
  if (request.k < 0 || request.k > request.size || request.size > 0xFFFFFFFF) {
    return InvalidInput("top-k: expected k from 0 to ", request.size, ", found ", request.k);
  }
  int64_t count = 0;
  HLOCTS_RETURN_IF_ERROR(CountElements({request.rows, request.size}, count));
  if (request.rows == 0 || request.k == 0) return absl::OkStatus();
  return HWY_DYNAMIC_DISPATCH(Run)(parallel, request);
}

}  // namespace hlocts::kernels
#endif
