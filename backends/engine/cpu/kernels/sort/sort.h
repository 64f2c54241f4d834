// SPDX-License-Identifier: Apache-2.0
// Sorting by known keys with Highway's vqsort, and top-k.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

// A strict weak order of the values of a type. The ascending orders of floats are:
//   kTotal            -NaN < -inf < ... < -0 < +0 < ... < inf < NaN, by bits (type=TOTALORDER)
//   kTotalZerosEqual  the same with -0 and +0 equivalent
//   kNumeric          -0 and +0 equivalent, all NaNs equivalent and above everything
// If no key is NaN, the comparisons LT and GT of floats agree with kNumeric. For integers and pred
// the three orders are the same.
enum class KeyOrder : uint8_t { kTotal, kTotalZerosEqual, kNumeric };

struct SortKey {
  int operand = 0;  // index of the operand that is compared
  KeyOrder order = KeyOrder::kTotal;
  bool descending = false;
};

struct SortOperand {
  PrimitiveType type = PrimitiveType::kF32;
  const void* input = nullptr;
  void* output = nullptr;  // may be the input
};

struct SortRequest {
  // Dense arrays [outer, size, inner], which are sorted along dimension `size`.
  int64_t outer = 1, size = 1, inner = 1;
  absl::Span<const SortOperand> operands;  // at least one
};

// Sorts by the keys, the most significant one first. Keys must not be complex. If `stable` is
// false, the order of equivalent elements is unspecified. The result does not depend on the number
// of threads.
absl::Status SortByKeys(const Parallel& parallel, const SortRequest& request,
                        absl::Span<const SortKey> keys, bool stable);

// The k largest (or smallest) elements of each row of a dense array [rows, size], in order. Of
// equivalent elements, the one with the lower index comes first. 0 <= k <= size.
struct TopKRequest {
  PrimitiveType type = PrimitiveType::kF32;
  int64_t rows = 1, size = 1, k = 1;
  bool largest = true;  // else the k smallest elements in ascending order
  KeyOrder order = KeyOrder::kTotal;
  const void* input = nullptr;
  void* values = nullptr;                          // [rows, k]
  void* indices = nullptr;                         // [rows, k] of index_type; may be null
  PrimitiveType index_type = PrimitiveType::kS32;  // s32, u32, s64 or u64
};

absl::Status TopK(const Parallel& parallel, const TopKRequest& request);

}  // namespace hlocts::kernels
