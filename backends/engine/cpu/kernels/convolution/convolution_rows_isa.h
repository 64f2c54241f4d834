// SPDX-License-Identifier: Apache-2.0
// Convolution where neighbours in memory are neighbours along the last window dimension (as in
// NCHW): vectors run along the rows of the output. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_ROWS_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_ROWS_ISA_H_

#include "backends/engine/cpu/kernels/convolution/convolution.h"
#include "backends/engine/cpu/kernels/runtime/vector_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

// Whether this is the way to compute it; `compute` is f32 or f64.
bool PrefersRows(const ConvolutionRequest& request, PrimitiveType compute);
template <typename T>
absl::Status ConvolutionByRows(const Parallel& parallel, const ConvolutionRequest& request);

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_ROWS_ISA_H_
