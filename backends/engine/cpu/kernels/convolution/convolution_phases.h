// SPDX-License-Identifier: Apache-2.0
// Splits a convolution of a dilated input into convolutions of the undilated input.
#pragma once

#include <vector>

#include "backends/engine/cpu/kernels/convolution/convolution.h"

namespace hlocts::kernels {

// Returns one convolution for each phase, or none if the input is not dilated or there are too many
// phases. Base dilation inserts zeros (holes) between elements. A phase is the outputs for which
// the same taps are at elements, not at holes. Its convolution has base_dilation 1, only these taps
// (kernel_size 0 if there are none), and strided outputs. Together the phases write all outputs of
// the request.
std::vector<ConvolutionRequest> PhasesOf(const ConvolutionRequest& request);

}  // namespace hlocts::kernels
