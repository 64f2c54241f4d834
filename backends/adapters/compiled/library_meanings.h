// SPDX-License-Identifier: Apache-2.0
// Defines in HLO the library calls of XLA:GPU programs: products and solves of cuBLAS, convolutions
// of cuDNN. A definition follows from the attributes and the backend_config of the call. Also reads
// the parts of XLA:TPU's backend_config that affect values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts::backends {

std::string ShapeText(const Shape& shape);  // without a layout

// Returns HLO text that defines an array `name` of `shape`. Its elements are a substitute for the
// content of uninitialized memory and padding. A correct program is independent of that content, so
// a program whose outputs depend on it is wrong.
std::string AnyContentText(absl::string_view name, const Shape& shape);

// Returns `text` with a root, which is the call's result: its first leaves are `values`, and its
// other leaves are workspaces with any content.
std::string WithWorkspace(const Instruction& call, std::string text,
                          const std::vector<std::string>& values);

// Return the lines of a computation on parameters p0, p1, ... whose last line is the root `r`.
// Return kUnimplemented if the rounding of an epilogue, activation, scale or type is not known.
absl::StatusOr<std::string> MatrixProduct(const Instruction& call);
absl::StatusOr<std::string> TriangularSolve(const Instruction& call);
absl::StatusOr<std::string> Convolution(const Instruction& call);
absl::StatusOr<std::string> ConvolutionBiasActivation(const Instruction& call);
absl::StatusOr<std::string> ConvolutionOfInputGradient(const Instruction& call);
absl::StatusOr<std::string> ConvolutionOfFilterGradient(const Instruction& call);

// Returns the dimensions along which XLA:TPU reverses the result of an instruction when it stores
// the result. The compiler folds a reverse into the instruction that computes its operand; only the
// window of that instruction names the dimensions. Returns kUnimplemented for an unknown form.
absl::StatusOr<std::vector<int64_t>> ReversedOnStore(const Instruction& instruction);

}  // namespace hlocts::backends
