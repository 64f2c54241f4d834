// SPDX-License-Identifier: Apache-2.0
// NVRTC, opened on first use.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_NVRTC_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_NVRTC_H_

#include <string>

#include "spec/base/status.h"

namespace hlocts::cuda {

struct CompiledKernel {
  // SASS, or PTX of the newest architecture that this NVRTC supports if it does not support the
  // device.
  std::string image;
  std::string log;
};

// The device headers are embedded. Unavailable: there is no NVRTC. Internal, with the log: NVRTC
// rejects the source.
absl::StatusOr<CompiledKernel> CompileSource(const std::string& source,
                                             const std::string& architecture, bool fast_math);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_NVRTC_H_
