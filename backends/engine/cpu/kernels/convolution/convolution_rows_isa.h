// SPDX-License-Identifier: Apache-2.0
// Convolution where neighbours in memory are neighbours along the last window dimension (as in
// NCHW): vectors run along the rows of the output. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_ROWS_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_ROWS_ISA_H_

#include "backends/engine/cpu/kernels/convolution/convolution.h"
#include "backends/engine/cpu/kernels/gemm/dot_types.h"
#include "backends/engine/cpu/kernels/runtime/vector_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

// Whether this is the way to compute it; `compute` is f32 or f64.
inline bool PrefersRows(const ConvolutionRequest& request, PrimitiveType compute) {
  if (request.spatial.empty() || request.batch_groups != 1 || IsComplex(request.input_type)) {
    return false;
  }
  const ConvolutionDimension& inner = request.spatial.back();
  const int64_t lanes = kVectorBytes / StorageBytes(compute);
  // A kernel much wider than the output would be copied more often than it is used.
  return StoredAs(request.output_type, compute) &&
         inner.output_stride < request.output_feature_stride && inner.base_dilation == 1 &&
         inner.output_size >= lanes / 2 &&
         (inner.kernel_size - 1) * inner.window_dilation <= 4 * inner.output_size;
}

template <typename T>
absl::Status ConvolutionByRows(const Parallel& parallel, const ConvolutionRequest& request);

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_ROWS_ISA_H_
