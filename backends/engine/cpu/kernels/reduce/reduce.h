// SPDX-License-Identifier: Apache-2.0
// Reductions by a known computation over any dimensions, and argmin and argmax.
//
// The acceptance rules permit any order of combination. Sums and products of f16, bf16 and f8 are
// accumulated in f32 and rounded once. The work is divided into blocks by the shape only, so the
// bits do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

enum class ReduceKind : uint8_t { kAdd, kMultiply, kMinimum, kMaximum, kAnd, kOr, kXor };

// Returns true for add and multiply of every array type (on pred: or, and), minimum and maximum of
// all types but complex (a NaN wins), and `and`, `or`, `xor` of pred and integers.
bool ReduceSupported(ReduceKind kind, PrimitiveType type);

struct ReduceRequest {
  ReduceKind kind = ReduceKind::kAdd;
  PrimitiveType type = PrimitiveType::kF32;
  absl::Span<const int64_t> dimensions;
  absl::Span<const int64_t> strides;  // in elements; may describe a transposed or broadcast view
  absl::Span<const int64_t> reduced;  // dimension numbers in any order
  const void* operand = nullptr;
  const void* init = nullptr;  // one element; is combined with every output once
  void* output = nullptr;      // dense, row-major, without the reduced dimensions
  // If not null, replaces `operand`: writes elements [begin, end) of a dense array to `to`. Any
  // thread may call it. One element takes make_ns nanoseconds.
  const std::function<void(int64_t begin, int64_t end, void* to)>* make = nullptr;
  double make_ns = 0;
};

absl::Status Reduce(const Parallel& parallel, const ReduceRequest& request);

// A reduction of each row of a dense array [rows, size] to one element, on the calling thread.
// Groups use it to reduce a few rows at a time. A result depends on its row only.
struct RowReduceRequest {
  ReduceKind kind = ReduceKind::kAdd;
  PrimitiveType type = PrimitiveType::kF32;
  int64_t rows = 0, size = 0;
  const void* operand = nullptr;
  const void* init = nullptr;
  void* output = nullptr;
};

absl::Status RowReduce(const RowReduceRequest& request);

// Finds the position of the largest (or smallest) element along dimension `size` of a dense array
// [outer, size, inner]. `size` must be at least 1.
struct ArgReduceRequest {
  PrimitiveType type = PrimitiveType::kF32;  // must not be complex
  bool maximum = true;
  bool nan_wins = true;       // else a NaN is selected only if all elements are NaN, at position 0
  bool tie_low_index = true;  // else the last of equal elements (or NaNs) wins
  int64_t outer = 1, size = 1, inner = 1;
  const void* operand = nullptr;
  void* values = nullptr;                          // [outer, inner]; may be null
  void* indices = nullptr;                         // [outer, inner] of index_type
  PrimitiveType index_type = PrimitiveType::kS32;  // s32, u32, s64 or u64
};

absl::Status ArgReduce(const Parallel& parallel, const ArgReduceRequest& request);

}  // namespace hlocts::kernels
