// SPDX-License-Identifier: Apache-2.0
// Definitions in HLO of the library calls in programs of XLA:GPU, products and solves of cuBLAS and
// convolutions of cuDNN, made from the attributes of the call and its backend_config.
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
absl::StatusOr<std::string> ConvolutionOfInputGradient(const Instruction& call);
absl::StatusOr<std::string> ConvolutionOfFilterGradient(const Instruction& call);

}  // namespace hlocts::backends
