// SPDX-License-Identifier: Apache-2.0
// Reductions by a known computation over any set of dimensions, and argmin/argmax.
//
// The acceptance rules allow any order and tree; f16, bf16 and f8 sums and products are
// accumulated in f32 and rounded once. The blocks are fixed by the shape alone: the bits do not
// depend on the number of threads.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_REDUCE_REDUCE_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_REDUCE_REDUCE_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

enum class ReduceKind : uint8_t { kAdd, kMultiply, kMinimum, kMaximum, kAnd, kOr, kXor };

// Every array type for add and multiply (pred: or, and); all but complex for minimum and maximum
// (NaN wins); pred and integers for and, or, xor.
bool ReduceSupported(ReduceKind kind, PrimitiveType type);

struct ReduceRequest {
  ReduceKind kind = ReduceKind::kAdd;
  PrimitiveType type = PrimitiveType::kF32;
  absl::Span<const int64_t> dimensions;
  absl::Span<const int64_t> strides;  // in elements; a transposed or broadcast view needs no copy
  absl::Span<const int64_t> reduced;  // dimension numbers, any order
  const void* operand = nullptr;
  const void* init = nullptr;  // one element; joins every output exactly once
  void* output = nullptr;      // dense, row-major over the kept dimensions
  // Instead of `operand`, whose elements are then assumed dense: writes elements [begin, end) to
  // `to`, from any thread, in make_ns nanoseconds each.
  const std::function<void(int64_t begin, int64_t end, void* to)>* make = nullptr;
  double make_ns = 0;
};

absl::Status Reduce(const Parallel& parallel, const ReduceRequest& request);

// Each row of a dense array [rows, size] becomes one element, on the calling thread: for callers
// that reduce a few rows at a time, many times. A result depends on its row alone.
struct RowReduceRequest {
  ReduceKind kind = ReduceKind::kAdd;
  PrimitiveType type = PrimitiveType::kF32;
  int64_t rows = 0, size = 0;
  const void* operand = nullptr;
  const void* init = nullptr;
  void* output = nullptr;
};

absl::Status RowReduce(const RowReduceRequest& request);

// Position of the largest (smallest) element along the middle dimension of a dense array
// [outer, size, inner]; size >= 1.
struct ArgReduceRequest {
  PrimitiveType type = PrimitiveType::kF32;  // not complex
  bool maximum = true;
  bool nan_wins = true;       // else a NaN is never chosen unless all are NaN (then position 0)
  bool tie_low_index = true;  // else the last of equal elements (or of NaNs) wins
  int64_t outer = 1, size = 1, inner = 1;
  const void* operand = nullptr;
  void* values = nullptr;                          // [outer, inner]; may be null
  void* indices = nullptr;                         // [outer, inner] of index_type
  PrimitiveType index_type = PrimitiveType::kS32;  // s32, u32, s64 or u64
};

absl::Status ArgReduce(const Parallel& parallel, const ArgReduceRequest& request);

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_REDUCE_REDUCE_H_
