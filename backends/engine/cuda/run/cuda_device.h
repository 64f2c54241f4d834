// SPDX-License-Identifier: Apache-2.0
// A GPU as a device, by runtime/; in a build without the CUDA toolkit there is none.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUN_CUDA_DEVICE_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUN_CUDA_DEVICE_H_

#include <memory>
#include <string>

#include "backends/engine/cuda/base/device.h"

namespace hlocts::cuda {

// The GPU of this process: the same device each time. Unavailable, with the reason, without one.
absl::StatusOr<std::shared_ptr<Device>> OpenCudaDevice(int32_t index = 0);
int32_t CudaDeviceCount();
// After OpenCudaDevice: its name, architecture and driver.
std::string DeviceDescription();
// The number of workers that fit the memory of that device.
int32_t WorkersMax();

// The log of NVRTC for a source that it compiles for an architecture such as "sm_90", registers and
// spills among it. Needs no device. Unavailable without NVRTC; Internal, with the log, where it
// refuses the source.
absl::StatusOr<std::string> CompilerLog(const std::string& source, const std::string& architecture,
                                        bool fast_math);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUN_CUDA_DEVICE_H_
