// SPDX-License-Identifier: Apache-2.0
// Custom calls of LAPACK routines, `lapack_<letter><routine>_ffi`, to which JAX lowers dense linear
// algebra on CPU. Eigen computes them. f32 and c64 are computed in double precision.
#pragma once

#include <functional>

#include "absl/status/statusor.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::kernels {

// Computes the leaves of the result from the operands, which are all row-major. Leading dimensions
// are batches. If a matrix contains a NaN or an infinity, the floats of its results are NaN. LU and
// triangular solves, however, propagate such values.
using LapackFunction =
    std::function<absl::Status(const uint8_t* const* operands, uint8_t* const* results)>;

// Returns nullptr if the target is not a known routine, or if an attribute is missing. If shapes do
// not match, returns InvalidArgument with the expected and the actual shape.
absl::StatusOr<LapackFunction> LapackFunctionOf(const Instruction& custom_call);

}  // namespace hlocts::kernels
