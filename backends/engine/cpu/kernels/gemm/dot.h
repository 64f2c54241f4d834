// SPDX-License-Identifier: Apache-2.0
// HLO's dot with any dimension numbers over strided operands: a packed, register-tiled matrix
// product of our own, so that transposed, batched, narrow and mixed operands need no copy.
//
// f32, f64: fused multiply-add in any order. f16, bf16, f8: exact products, f32 sums, one rounding.
// Integers: exact modulo 2^w. pred: or of ands. Complex: the naive formula, 2k real products.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

struct DotOperand {
  const void* data = nullptr;
  PrimitiveType type = PrimitiveType::kF32;
  absl::Span<const int64_t> dimensions;
  absl::Span<const int64_t> strides;  // in elements
  absl::Span<const int64_t> batch;    // dimension numbers, in the order of the attribute
  absl::Span<const int64_t> contracting;
};

// A single product with a sum at least this long and few results is split along the sum; one of a
// batch is not.
inline constexpr int64_t kDeepSum = 16384;

// Called from any thread for rows [row, row_end) and columns [column, column_end) of a product when
// they are complete; once for every element.
using PartDone =
    std::function<void(int64_t row, int64_t row_end, int64_t column, int64_t column_end)>;

struct DotRequest {
  DotOperand lhs, rhs;
  PrimitiveType output_type = PrimitiveType::kF32;
  void* output = nullptr;  // dense [batch..., free of lhs..., free of rhs...]
  // Only for products for which TellsDone is true, without a batch, with sums that are not empty.
  const PartDone* done = nullptr;
};

// Returns true if Dot supports this combination: all of one class (float, integer or pred,
// complex), or integer operands with a float output.
bool DotSupported(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType output);

// Returns true if the product is computed directly in its output.
bool TellsDone(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType output);

absl::Status Dot(const Parallel& parallel, const DotRequest& request);

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_H_
