// SPDX-License-Identifier: Apache-2.0
// Roundings and splits of the operands of a contraction in noise.
#ifndef HLOCTS_BACKENDS_SELFTEST_LEGAL_NOISE_NOISE_OPERANDS_H_
#define HLOCTS_BACKENDS_SELFTEST_LEGAL_NOISE_NOISE_OPERANDS_H_

#include <vector>

#include "backends/selftest/legal_noise/noise_hook.h"
#include "spec/ir/attributes.h"
#include "spec/ir/index_util.h"

namespace hlocts::backends {

// In place, of f32.
using RoundOperand = void (*)(Literal& operand);
void RoundToTf32(Literal& operand);
void RoundToBf16(Literal& operand);
// The rounding of the algorithm that the module names; nullptr: it does not round operands once.
RoundOperand RoundingOf(absl::string_view algorithm);
// Rounds operands of f32: by the algorithm, or those whose precision may be less.
void RoundOperands(NoiseJob& job, Literal& lhs, Literal& rhs);

// A dot of f32 in 3, 6 or 9 passes of bf16, the least products first; 0: not so.
int PassesOf(absl::string_view algorithm);
// Three parts of bf16 that add up to the operand, nearly.
std::vector<Literal> SplitInThree(const Literal& operand);

// A dilated kernel with zeros in its holes, and the window that it then has.
template <typename T>
Literal FillHoles(const Literal& kernel, const ConvolutionDimensionNumbers& numbers,
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

#endif  // HLOCTS_BACKENDS_SELFTEST_LEGAL_NOISE_NOISE_OPERANDS_H_
