// SPDX-License-Identifier: Apache-2.0
// gather and scatter as moves of contiguous runs: the dimension numbers of HLO are strides here.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GATHER_SCATTER_GATHER_SCATTER_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GATHER_SCATTER_GATHER_SCATTER_H_

#include <cstdint>
#include <functional>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "backends/engine/cpu/kernels/reduce/reduce.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

// The start of a slice (window): entry k of index vector i is the element i * vector_stride + k *
// component_stride of `indices` and moves along operand dimension `operand_dimensions[k]`.
struct IndexVectors {
  const void* data = nullptr;
  PrimitiveType type = PrimitiveType::kS32;  // any integer type
  absl::InlinedVector<int64_t, 4> operand_dimensions;
  // Sizes and strides of the array of index vectors.
  absl::InlinedVector<int64_t, 4> batch_sizes, batch_strides;
  int64_t component_stride = 1;
  // Instead of `data`: writes elements [begin, end) of the index array to `to`, from any thread.
  // For contiguous index vectors of at most kMadeComponentsMax entries.
  const std::function<void(int64_t begin, int64_t end, void* to)>* make = nullptr;
};
inline constexpr int64_t kMadeComponentsMax = 8;

// One dimension of the slice: `size` steps of `operand_stride` in the operand and of
// `window_stride` in the gathered (or update) array.
struct SliceDimension {
  int64_t size = 1, operand_stride = 0, window_stride = 0;
};

struct GatherRequest {
  PrimitiveType type = PrimitiveType::kF32;
  absl::InlinedVector<int64_t, 4> operand_dimensions;  // sizes, for the bounds
  absl::InlinedVector<int64_t, 4> operand_strides;
  absl::InlinedVector<int64_t, 4> slice_sizes;  // per operand dimension (1 for collapsed ones)
  IndexVectors indices;
  // Operand and index batching dimensions: step per batch dimension of the index vectors, in
  // elements of the operand (0 where it is no batching dimension). Empty: none.
  absl::InlinedVector<int64_t, 4> operand_batch_strides;
  absl::InlinedVector<int64_t, 4> output_batch_strides;  // per batch dimension of the indices
  absl::InlinedVector<SliceDimension, 4> slice;          // dimensions of size > 1 (others optional)
  const void* operand = nullptr;
  void* output = nullptr;
};

// Starts are clamped so that every slice is in bounds.
absl::Status Gather(const Parallel& parallel, const GatherRequest& request);

enum class ScatterKind : uint8_t { kAssign, kAdd, kMultiply, kMinimum, kMaximum, kAnd, kOr, kXor };

// The same description, with the update array instead of the gathered one. If a window is partly
// out of bounds, the elements inside are updated.
struct ScatterRequest {
  ScatterKind kind = ScatterKind::kAssign;
  PrimitiveType type = PrimitiveType::kF32;
  absl::InlinedVector<int64_t, 4> operand_dimensions, operand_strides;
  absl::InlinedVector<int64_t, 4> window_sizes;  // per operand dimension (1 for inserted ones)
  IndexVectors indices;
  absl::InlinedVector<int64_t, 4> operand_batch_strides;
  absl::InlinedVector<int64_t, 4> update_batch_strides;
  absl::InlinedVector<SliceDimension, 4> window;
  const void* updates = nullptr;
  // Contains the operand's values already. Updates are applied in order, but those of kinds other
  // than kAssign may be combined first, in parts that depend on sizes alone.
  void* output = nullptr;
};

absl::Status Scatter(const Parallel& parallel, const ScatterRequest& request);

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GATHER_SCATTER_GATHER_SCATTER_H_
