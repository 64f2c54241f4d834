// SPDX-License-Identifier: Apache-2.0
// Defines in HLO the library calls of XLA:GPU programs (products and solves of cuBLAS, convolutions
// of cuDNN) from the attributes and the backend_config of the call.
#pragma once

#include <string>

#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::backends {

// Return the lines of a computation on parameters p0, p1, ... whose last line is the root `r`.
// kUnimplemented: the rounding of an epilogue, an activation, a scale or a type is not known.
absl::StatusOr<std::string> MatrixProduct(const Instruction& call);
absl::StatusOr<std::string> TriangularSolve(const Instruction& call);
absl::StatusOr<std::string> Convolution(const Instruction& call);
absl::StatusOr<std::string> ConvolutionBiasActivation(const Instruction& call);
absl::StatusOr<std::string> ConvolutionOfInputGradient(const Instruction& call);
absl::StatusOr<std::string> ConvolutionOfFilterGradient(const Instruction& call);

}  // namespace hlocts::backends
