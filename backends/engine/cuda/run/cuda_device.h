// SPDX-License-Identifier: Apache-2.0
// libhlocts_cuda.so, opened when somebody asks for it, and its device.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUN_CUDA_DEVICE_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUN_CUDA_DEVICE_H_

#include <memory>
#include <string>

#include "backends/engine/cuda/base/device.h"
#include "backends/engine/cuda/runtime/runtime_api.h"

namespace hlocts::cuda {

// Unavailable where this build left the library out. $HLOCTS_CUDA_LIBRARY, else beside this
// program.
absl::StatusOr<const hlocts_cuda_api*> OpenRuntime();

// A GPU; Unavailable, with the reason, where there is none.
absl::StatusOr<std::shared_ptr<Device>> OpenCudaDevice(bool fast_math, int32_t index = 0);
int32_t CudaDeviceCount();
// After OpenCudaDevice: which it is.
std::string DeviceDescription();
// ... and how many workers its memory has room for; 0: it does not say.
int32_t WorkersMax();

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUN_CUDA_DEVICE_H_
