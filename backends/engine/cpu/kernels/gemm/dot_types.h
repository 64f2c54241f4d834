// SPDX-License-Identifier: Apache-2.0
// The type in which products and their sums are computed.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_TYPES_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_TYPES_H_

#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

// f32, f64, u32 or u64; kInvalid for unsupported combinations. Complex numbers are computed in
// their parts. Integers of 32 bits and more reach a float output through f64.
PrimitiveType ProductType(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType output);

// Returns true if elements of `type` can be read (and written) as the computing type: the same, or
// an integer of the same width, or complex of such parts.
bool StoredAs(PrimitiveType type, PrimitiveType compute);

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_TYPES_H_
