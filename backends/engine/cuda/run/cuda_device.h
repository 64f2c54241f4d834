// SPDX-License-Identifier: Apache-2.0
// A GPU as a device. runtime/ implements it if the CUDA toolkit exists, else cuda_device.cc.
#pragma once

#include <memory>
#include <string>

#include "backends/engine/cuda/base/device.h"

namespace hlocts::cuda {

// Returns GPU `index` as the only GPU of this process. Returns Unavailable, with the reason, if
// there is no such GPU or if another GPU is open.
absl::StatusOr<std::shared_ptr<Device>> OpenCudaDevice(int32_t index = 0);
int32_t CudaDeviceCount();
// Returns the name, architecture and driver of the GPU. OpenCudaDevice must have been called.
std::string DeviceDescription();
// Returns the number of workers whose memory fits in the opened GPU.
int32_t WorkersMax();

// Returns NVRTC's log, which contains registers and spills, for a source and a target such as
// "sm_90". Requires no GPU. Returns Unavailable if there is no NVRTC, and Internal, with the log,
// if NVRTC rejects the source.
absl::StatusOr<std::string> CompilerLog(const std::string& source, const std::string& architecture,
                                        bool fast_math);

}  // namespace hlocts::cuda
