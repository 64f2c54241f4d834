// SPDX-License-Identifier: Apache-2.0
// HLO's dot with any dimension numbers on strided operands, computed as a packed, register-tiled
// matrix product. The caller need not copy transposed, batched, narrow or mixed operands.
//
// f32 and f64: fused multiply-add in any order. f16, bf16 and f8: exact products, sums in f32, one
// rounding. Integers of w bits: exact modulo 2^w. pred: or of ands. Complex: the formula of the
// product, as 2k real products for a sum of k terms.
#pragma once

#include <cstdint>

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
  absl::Span<const int64_t> batch;    // dimension numbers, in the attribute's order
  absl::Span<const int64_t> contracting;
};

// Sums of this length are split if the product has few results and no batch dimensions.
inline constexpr int64_t kDeepSum = 16384;

struct DotRequest {
  DotOperand lhs, rhs;
  PrimitiveType output_type = PrimitiveType::kF32;
  void* output = nullptr;  // dense [batch..., free of lhs..., free of rhs...]
};

// Returns true if Dot supports the types: all of one class (float, integer or pred, complex), or
// integer operands with a float output.
bool DotSupported(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType output);

absl::Status Dot(const Parallel& parallel, const DotRequest& request);

}  // namespace hlocts::kernels
