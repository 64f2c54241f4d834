// SPDX-License-Identifier: Apache-2.0
// gather and scatter as copies of contiguous runs. A request gives strides, not dimension numbers.
#pragma once

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "backends/engine/cpu/kernels/reduce/reduce.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

// The array of index vectors, which are the starts of slices (windows). Entry k of index vector i
// is element i * vector_stride + k * component_stride of the array: the start of the slice
// along operand dimension operand_dimensions[k].
struct IndexVectors {
  const void* data = nullptr;
  PrimitiveType type = PrimitiveType::kS32;  // any integer type
  absl::InlinedVector<int64_t, 4> operand_dimensions;
  // Sizes and strides of the array's batch dimensions.
  absl::InlinedVector<int64_t, 4> batch_sizes, batch_strides;
  int64_t component_stride = 1;
};

// One dimension of a slice. Adjacent elements are `operand_stride` apart in the operand and
// `window_stride` apart in the output (gather) or the update array (scatter).
struct SliceDimension {
  int64_t size = 1, operand_stride = 0, window_stride = 0;
};

struct GatherRequest {
  PrimitiveType type = PrimitiveType::kF32;
  absl::InlinedVector<int64_t, 4> operand_dimensions;  // sizes, for bounds checks
  absl::InlinedVector<int64_t, 4> operand_strides;
  absl::InlinedVector<int64_t, 4> slice_sizes;  // for each operand dimension; 1 if collapsed
  IndexVectors indices;
  // For each batch dimension of the index vectors: the operand's stride in elements, or 0 if it is
  // not a batching dimension. Empty if there are no batching dimensions.
  absl::InlinedVector<int64_t, 4> operand_batch_strides;
  absl::InlinedVector<int64_t, 4> output_batch_strides;  // for each batch dimension of the indices
  // The dimensions of size > 1. Others may be omitted.
  absl::InlinedVector<SliceDimension, 4> slice;
  const void* operand = nullptr;
  void* output = nullptr;
};

// Gathers slices. Starts are clamped, so that every slice is in bounds.
absl::Status Gather(const Parallel& parallel, const GatherRequest& request);

enum class ScatterKind : uint8_t { kAssign, kAdd, kMultiply, kMinimum, kMaximum, kAnd, kOr, kXor };

// The request of a scatter. Its fields are those of GatherRequest, with the update array instead of
// the gathered output. Elements of a window that are out of bounds are skipped.
struct ScatterRequest {
  ScatterKind kind = ScatterKind::kAssign;
  PrimitiveType type = PrimitiveType::kF32;
  absl::InlinedVector<int64_t, 4> operand_dimensions, operand_strides;
  absl::InlinedVector<int64_t, 4> window_sizes;  // for each operand dimension; 1 if inserted
  IndexVectors indices;
  absl::InlinedVector<int64_t, 4> operand_batch_strides;
  absl::InlinedVector<int64_t, 4> update_batch_strides;
  absl::InlinedVector<SliceDimension, 4> window;
  const void* updates = nullptr;
  // The result. It must already contain the operand's values. Updates are applied in order. If
  // `kind` is not kAssign, they may first be combined in parts, whose boundaries depend only on
  // sizes.
  void* output = nullptr;
};

absl::Status Scatter(const Parallel& parallel, const ScatterRequest& request);

}  // namespace hlocts::kernels
