// SPDX-License-Identifier: Apache-2.0
// The types in which dot computes products and their sums.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_TYPES_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_TYPES_H_

#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

// Returns the type of the computation: f32, f64, u32 or u64; kInvalid for unsupported combinations.
// Complex numbers are computed in the type of their parts. Integers of 32 bits or more with a float
// output are computed in f64.
PrimitiveType ProductType(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType output);

// Returns true if elements of `type` can be read and written in place as `compute`: the same type,
// an integer of the same width, or a complex number whose parts are such elements.
bool StoredAs(PrimitiveType type, PrimitiveType compute);

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_TYPES_H_
