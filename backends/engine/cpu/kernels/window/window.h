// SPDX-License-Identifier: Apache-2.0
// reduce-window by a known computation, and select-and-scatter. reduce-window processes one
// dimension after another, in time independent of the window's size. This reassociates
// floating-point sums, which is permitted. Minimum, maximum and integers are exact.
#pragma once

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "backends/engine/cpu/kernels/reduce/reduce.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

struct WindowDimensionSpec {
  int64_t input_size = 1, output_size = 1;
  int64_t size = 1, stride = 1, padding_low = 0;  // padding_low may be negative
  int64_t base_dilation = 1, window_dilation = 1;
};

// Returns true if the windows do not change the dimension.
inline bool IsTrivial(const WindowDimensionSpec& w) {
  return w.size == 1 && w.stride == 1 && w.padding_low == 0 && w.base_dilation == 1 &&
         w.input_size == w.output_size;
}

// The request of a reduce-window. Padding and holes are ignored. `init` is combined with every
// output once.
struct ReduceWindowRequest {
  ReduceKind kind = ReduceKind::kAdd;
  PrimitiveType type = PrimitiveType::kF32;  // ReduceSupported must be true for it
  absl::InlinedVector<WindowDimensionSpec, 4> dimensions;
  const void* operand = nullptr;  // dense, row-major
  const void* init = nullptr;
  void* output = nullptr;  // dense, row-major
};

absl::Status ReduceWindow(const Parallel& parallel, const ReduceWindowRequest& request);

// The comparison select(kept, candidate). If it is false, the candidate replaces the kept element,
// as HLO specifies for the elements of a window in row-major order.
enum class WindowSelect : uint8_t { kGe, kGt, kLe, kLt };

struct SelectAndScatterRequest {
  WindowSelect select = WindowSelect::kGe;
  ReduceKind scatter = ReduceKind::kAdd;
  PrimitiveType type = PrimitiveType::kF32;  // must not be complex
  // Dilations must be 1. output_size is the size of `source`.
  absl::InlinedVector<WindowDimensionSpec, 4> dimensions;
  const void* operand = nullptr;  // dense; the output has the same shape
  const void* source = nullptr;   // dense
  const void* init = nullptr;
  void* output = nullptr;
};

// Computes select-and-scatter. Sums of floats narrower than f32 are rounded once per element.
absl::Status SelectAndScatter(const Parallel& parallel, const SelectAndScatterRequest& request);

}  // namespace hlocts::kernels
