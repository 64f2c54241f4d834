// SPDX-License-Identifier: Apache-2.0
// Splits a convolution over a dilated input into convolutions over the undilated input.
#pragma once

#include <vector>

#include "backends/engine/cpu/kernels/convolution/convolution.h"

namespace hlocts::kernels {

// Returns one convolution per phase, or nothing if the input is not dilated or there are too many
// phases. Base dilation inserts zeros (holes) between elements. A phase consists of the outputs for
// which the same taps fall on elements rather than holes. Its convolution has base_dilation 1, only
// those taps (kernel_size 0 if all taps fall on holes), and strided outputs. Together the phases
// write all outputs of the request.
std::vector<ConvolutionRequest> PhasesOf(const ConvolutionRequest& request);

}  // namespace hlocts::kernels
