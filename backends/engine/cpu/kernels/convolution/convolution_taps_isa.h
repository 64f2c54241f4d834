// SPDX-License-Identifier: Apache-2.0
// Where the weights of each window tap lie. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_TAPS_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_TAPS_ISA_H_

#include <vector>

#include "backends/engine/cpu/kernels/convolution/convolution.h"
#include "backends/engine/cpu/kernels/runtime/vector_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

// Offset in the kernel of each tap, in window order.
inline std::vector<int64_t> KernelOffsets(const ConvolutionRequest& request) {
  std::vector<int64_t> offsets = {0}, longer;
  for (const ConvolutionDimension& d : request.spatial) {
    longer.clear();
    for (const int64_t offset : offsets) {
      for (int64_t k = 0; k < d.kernel_size; ++k) {
        longer.push_back(offset + (d.reversal ? d.kernel_size - 1 - k : k) * d.kernel_stride);
      }
    }
    offsets.swap(longer);
  }
  return offsets;
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_TAPS_ISA_H_
