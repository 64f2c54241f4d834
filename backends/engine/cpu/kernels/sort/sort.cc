// SPDX-License-Identifier: Apache-2.0
// Sorts by keys. If the key is the only operand, keys are sorted and decoded to elements. Otherwise
// each key is sorted together with the position of its element, which makes the sort stable.
// Several keys are packed into one integer if they fit. Then the operands are permuted.
#include "backends/engine/cpu/kernels/sort/sort.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "backends/engine/cpu/kernels/sort/sort_keys.h"
#include "backends/engine/cpu/kernels/sort/sort_rows.h"
#include "backends/engine/cpu/kernels/sort/sort_unsigned.h"
#include "spec/base/status.h"

namespace hlocts::kernels {
namespace {

constexpr int64_t kMaxSize = std::numeric_limits<uint32_t>::max();
constexpr int64_t kKeyBlock = 256;

// -- Sorting one operand that is its own key.

// Restores the bits of elements with equal keys (zeros, NaNs) in their original order.
template <typename U>
void RestoreJoined(const KeyCode<U>& code, const U* row, int64_t stride, const U* keys,
                   int64_t count, U* out, int64_t out_stride) {
  const U nan_key = code.invert == 0 ? std::numeric_limits<U>::max() : U{0};
  const U zero_key = code.Key(0);
  int64_t next_nan = std::lower_bound(keys, keys + count, nan_key) - keys;
  int64_t next_zero = std::lower_bound(keys, keys + count, zero_key) - keys;
  for (int64_t i = 0; i < count; ++i) {
    const U bits = row[i * stride];
    if (code.joins_nans && code.IsNan(bits)) {
      out[next_nan++ * out_stride] = bits;
    } else if (bits == 0 || code.IsNegativeZero(bits)) {
      out[next_zero++ * out_stride] = bits;
    }
  }
}

template <typename U>
absl::Status SortOwnKeys(const Parallel& parallel, const RowRange& rows, const SortOperand& operand,
                         const SortKey& key) {
  const KeyCode<U> code = MakeKeyCode<U>(operand.type, key.order, key.descending);
  const int64_t size = rows.size, bytes = 2 * size * static_cast<int64_t>(sizeof(U));
  const Scratch scratch(bytes);
  if (!scratch.ok()) return OutOfScratch(bytes);
  U *keys = scratch.As<U>(), *row_copy = keys + size;
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    const int64_t first = rows.First(row);
    const U* in = static_cast<const U*>(operand.input) + first;
    U* out = static_cast<U*>(operand.output) + first;
    parallel.For(size, 1.0, [&](int64_t i, int64_t end) {
      for (int64_t j = i; j < end; ++j) row_copy[j] = in[j * rows.inner];
      EncodeKeys(code, row_copy + i, 1, end - i, keys + i);
    });
    HLOCTS_RETURN_IF_ERROR(SortUnsigned(parallel, keys, size));
    parallel.For(size, 1.0, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) out[i * rows.inner] = code.Bits(keys[i]);
    });
    if (code.joins_zeros || code.joins_nans) {
      RestoreJoined(code, row_copy, 1, keys, size, out, rows.inner);
    }
  }
  return absl::OkStatus();
}

// -- Sorting keys together with positions.

int KeyBits(const SortRequest& request, const SortKey& key) {
  return 8 * StorageBytes(request.operands[key.operand].type);
}

// Appends a key to the integers in `packed`: packed[i] = packed[i] << width | key of element
// order[i], or of element i if `order` is null. The first key overwrites packed[i]. The position is
// appended after the last key.
template <typename P>
void AppendKey(const Parallel& parallel, const RowRange& rows, int64_t first,
               const SortRequest& request, absl::Span<const SortKey> keys, size_t number,
               const uint32_t* order, P* packed) {
  const SortKey& key = keys[number];
  const bool is_first = number == 0, is_last = number + 1 == keys.size();
  const SortOperand& operand = request.operands[key.operand];
  VisitUnsigned(StorageBytes(operand.type), [&](auto width) {
    using U = decltype(width);
    const KeyCode<U> code = MakeKeyCode<U>(operand.type, key.order, key.descending);
    const U* in = static_cast<const U*>(operand.input) + first;
    parallel.For(rows.size, 2.0, [&](int64_t begin, int64_t end) {
      U block[kKeyBlock];
      for (; begin < end; begin += kKeyBlock) {
        const int64_t count = std::min(kKeyBlock, end - begin);
        if (order == nullptr) {
          EncodeKeys(code, in + begin * rows.inner, rows.inner, count, block);
        } else {
          for (int64_t j = 0; j < count; ++j) block[j] = in[order[begin + j] * rows.inner];
          EncodeKeys(code, block, 1, count, block);
        }
        for (int64_t j = 0; j < count; ++j) {
          P value = is_first ? P{0} : packed[begin + j];
          value = static_cast<P>((value << (8 * sizeof(U) - 1) << 1) | block[j]);
          packed[begin + j] = is_last ? static_cast<P>(value << 32 | (begin + j)) : value;
        }
      }
    });
    return 0;
  });
}

// Sorts stably by keys that fit in P together with a position.
template <typename P>
absl::Status SortPass(const Parallel& parallel, const RowRange& rows, int64_t first,
                      const SortRequest& request, absl::Span<const SortKey> keys, P* packed,
                      bool ordered, uint32_t* order, uint32_t* new_order) {
  for (size_t k = 0; k < keys.size(); ++k) {
    AppendKey(parallel, rows, first, request, keys, k, ordered ? order : nullptr, packed);
  }
  HLOCTS_RETURN_IF_ERROR(SortUnsigned(parallel, packed, rows.size));
  uint32_t* to = ordered ? new_order : order;
  parallel.For(rows.size, 1.0, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      const uint32_t at = static_cast<uint32_t>(packed[i]);
      to[i] = ordered ? order[at] : at;
    }
  });
  if (ordered) std::memcpy(order, new_order, rows.size * sizeof(uint32_t));
  return absl::OkStatus();
}

// Computes the order of one row. Sorts by the least significant keys first.
absl::Status OrderOfRow(const Parallel& parallel, const RowRange& rows, int64_t first,
                        const SortRequest& request, absl::Span<const SortKey> keys, void* packed,
                        uint32_t* order, uint32_t* scratch) {
  bool ordered = false;
  for (size_t end = keys.size(); end > 0;) {
    size_t begin = end;
    int bits = 0;
    while (begin > 0 && bits + KeyBits(request, keys[begin - 1]) <= 96) {
      bits += KeyBits(request, keys[--begin]);
    }
    const absl::Span<const SortKey> group = keys.subspan(begin, end - begin);
    if (bits <= 32) {
      HLOCTS_RETURN_IF_ERROR(SortPass(parallel, rows, first, request, group,
                                      static_cast<uint64_t*>(packed), ordered, order, scratch));
    } else {
      HLOCTS_RETURN_IF_ERROR(SortPass(parallel, rows, first, request, group,
                                      static_cast<Uint128*>(packed), ordered, order, scratch));
    }
    ordered = true;
    end = begin;
  }
  return absl::OkStatus();
}

// Restores the operand of the only key from the sorted keys. Elements that differ but have equal
// keys (zeros, NaNs) are copied from their original positions.
template <typename U, typename P>
void RestoreKeys(const Parallel& parallel, const RowRange& rows, int64_t first,
                 const SortOperand& operand, const SortKey& key, const P* packed,
                 const uint32_t* order, U* row_copy) {
  const KeyCode<U> code = MakeKeyCode<U>(operand.type, key.order, key.descending);
  const U* in = static_cast<const U*>(operand.input) + first;
  U* out = static_cast<U*>(operand.output) + first;
  const auto key_at = [&](int64_t i) { return static_cast<U>(packed[i] >> 32); };
  std::vector<int64_t> joined;
  const auto fetch = [&](U wanted) {
    const P* begin = std::lower_bound(packed, packed + rows.size, static_cast<P>(wanted) << 32);
    for (int64_t i = begin - packed; i < rows.size && key_at(i) == wanted; ++i) {
      row_copy[i] = in[order[i] * rows.inner];
      joined.push_back(i);
    }
  };
  if (code.joins_zeros) fetch(code.Key(0));
  if (code.joins_nans) fetch(static_cast<U>(std::numeric_limits<U>::max() ^ code.invert));
  parallel.For(rows.size, 1.0, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) out[i * rows.inner] = code.Bits(key_at(i));
  });
  for (const int64_t i : joined) out[i * rows.inner] = row_copy[i];
}

void RestoreOnlyKey(const Parallel& parallel, const RowRange& rows, int64_t first,
                    const SortRequest& request, const SortKey& key, const char* packed,
                    const uint32_t* order, char* row_copy) {
  const SortOperand& operand = request.operands[key.operand];
  VisitUnsigned(StorageBytes(operand.type), [&](auto width) {
    using U = decltype(width);
    using P = std::conditional_t<sizeof(U) <= 4, uint64_t, Uint128>;
    RestoreKeys(parallel, rows, first, operand, key, reinterpret_cast<const P*>(packed), order,
                reinterpret_cast<U*>(row_copy));
    return 0;
  });
}

absl::Status SortPositions(const Parallel& parallel, const RowRange& rows,
                           const SortRequest& request, absl::Span<const SortKey> keys) {
  const int64_t bytes = rows.size * (16 + 2 * 4 + 16);
  const Scratch scratch(bytes);
  if (!scratch.ok()) return OutOfScratch(bytes);
  char* packed = scratch.As<char>();
  char* row_copy = packed + 16 * rows.size;
  uint32_t* order = reinterpret_cast<uint32_t*>(row_copy + 16 * rows.size);
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    const int64_t first = rows.First(row);
    HLOCTS_RETURN_IF_ERROR(
        OrderOfRow(parallel, rows, first, request, keys, packed, order, order + rows.size));
    for (const SortOperand& operand : request.operands) {
      if (keys.size() == 1 && &operand == &request.operands[keys[0].operand]) {
        RestoreOnlyKey(parallel, rows, first, request, keys[0], packed, order, row_copy);
      } else {
        PermuteRow(parallel, rows, first, operand, order, row_copy);
      }
    }
  }
  return absl::OkStatus();
}

// Returns true if the key is the only operand. RestoreJoined then determines the order of
// equivalent elements.
bool SortsByItself(const SortRequest& request, absl::Span<const SortKey> keys) {
  return request.operands.size() == 1 && keys.size() == 1;
}

absl::Status Check(const SortRequest& request, absl::Span<const SortKey> keys) {
  if (keys.empty()) return InvalidInput("sort: expected at least one key");
  for (const SortKey& key : keys) {
    if (key.operand < 0 || key.operand >= static_cast<int>(request.operands.size())) {
      return InvalidInput("sort: expected the number of an operand, found ", key.operand);
    }
    const PrimitiveType type = request.operands[key.operand].type;
    if (!IsArrayType(type) || IsComplex(type)) {
      return Unsupported("sort by keys of ", PrimitiveTypeName(type), " is not supported");
    }
  }
  return CheckRows(request, kMaxSize);
}

}  // namespace

absl::Status SortByKeys(const Parallel& parallel, const SortRequest& request,
                        absl::Span<const SortKey> keys, bool stable) {
  (void)stable;  // the sort is always stable; an unstable one would hardly be faster
  HLOCTS_RETURN_IF_ERROR(Check(request, keys));
  if (request.outer == 0 || request.size == 0 || request.inner == 0) return absl::OkStatus();
  const auto sort = [&](const Parallel& pool, const RowRange& rows) {
    if (!SortsByItself(request, keys)) return SortPositions(pool, rows, request, keys);
    return VisitUnsigned(StorageBytes(request.operands[0].type), [&](auto width) {
      return SortOwnKeys<decltype(width)>(pool, rows, request.operands[0], keys[0]);
    });
  };
  const int64_t row_count = request.outer * request.inner;
  RowRange all = {0, row_count, request.size, request.inner};
  if (row_count < parallel.threads()) return sort(parallel, all);
  std::atomic<bool> failed{false};
  parallel.For(row_count, 15.0 * request.size + 100, [&](int64_t begin, int64_t end) {
    if (!sort(Parallel(1), {begin, end, request.size, request.inner}).ok()) failed = true;
  });
  return failed ? OutOfScratch(request.size * 40) : absl::OkStatus();
}

}  // namespace hlocts::kernels
