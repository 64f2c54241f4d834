// SPDX-License-Identifier: Apache-2.0
// Convolution through Fourier transforms (lemma 19): a circular convolution over a box that
// contains the padded, dilated base area. Every step is rounded to T.
#pragma once

#include "reference/kernels/convolution.h"

namespace hlocts::backends {

// Operands and result have the dense order of ConvolutionGeometry. Returns false for a large box.
template <typename T>
bool FastConvolution(const reference::ConvolutionGeometry& geometry, const Window& window,
                     const std::vector<T>& lhs, const std::vector<T>& rhs, std::vector<T>& out);

}  // namespace hlocts::backends
