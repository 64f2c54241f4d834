// SPDX-License-Identifier: Apache-2.0
// A convolution over a dilated input as several over the input itself.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_PHASES_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_PHASES_H_

#include <vector>

#include "backends/engine/cpu/kernels/convolution/convolution.h"

namespace hlocts::kernels {

// Outputs at the same distance from the holes meet elements under the same taps: each such phase is
// a convolution with base_dilation 1 and those taps alone (kernel_size 0 where only holes are met),
// whose outputs are strided. Together they write what the request writes; empty if it has no
// dilated input, or too many phases.
std::vector<ConvolutionRequest> PhasesOf(const ConvolutionRequest& request);

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_PHASES_H_
