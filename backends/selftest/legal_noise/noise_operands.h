// SPDX-License-Identifier: Apache-2.0
// Roundings and splits of the operands of a contraction in the noise engine.
#pragma once

#include <vector>

#include "backends/selftest/legal_noise/noise_hook.h"
#include "spec/ir/attributes.h"
#include "spec/ir/index_util.h"

namespace hlocts::backends {

// Rounds an f32 operand in place.
using RoundOperand = void (*)(Literal& operand);
void RoundToTf32(Literal& operand);
void RoundToBf16(Literal& operand);
// The rounding of the algorithm that the module names; nullptr if the algorithm does not round
// operands once.
RoundOperand RoundingOf(absl::string_view algorithm);
// Rounds f32 operands as the algorithm demands, or otherwise those operands whose precision allows
// it.
void RoundOperands(NoiseJob& job, Literal& lhs, Literal& rhs);

// The number of bf16 passes (3, 6 or 9) in which the algorithm computes an f32 dot, the smallest
// products first; 0 for other algorithms.
int PassesOf(absl::string_view algorithm);
// Three bf16 parts whose sum is nearly the operand.
std::vector<Literal> SplitInThree(const Literal& operand);

// A dilated kernel with zeros in its holes, and its new window.
template <typename T>
Literal ZeroDilationGaps(const Literal& kernel, const ConvolutionDimensionNumbers& numbers,
                         Window& window) {
  Shape shape = kernel.shape();
  std::vector<int64_t> steps(shape.rank(), 1);
  for (size_t d = 0; d < window.dimensions.size(); ++d) {
    WindowDimension& dimension = window.dimensions[d];
    steps[numbers.kernel_spatial[d]] = dimension.window_dilation;
    dimension.size = (dimension.size - 1) * dimension.window_dilation + 1;
    dimension.window_dilation = 1;
    shape.set_dimension(numbers.kernel_spatial[d], dimension.size);
  }
  Literal filled(shape);
  const std::vector<int64_t> strides = RowMajorStrides(shape.dimensions());
  std::vector<int64_t> index(shape.rank(), 0);
  for (int64_t i = 0; i < kernel.element_count(); ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * steps[d] * strides[d];
    filled.template mutable_data<T>()[at] = kernel.template data<T>()[i];
    NextIndex(kernel.shape().dimensions(), absl::MakeSpan(index));
  }
  return filled;
}

}  // namespace hlocts::backends
