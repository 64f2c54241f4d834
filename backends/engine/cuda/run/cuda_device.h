// SPDX-License-Identifier: Apache-2.0
// A GPU as a device, implemented by runtime/. A build without the CUDA toolkit has none.
#pragma once

#include <memory>
#include <string>

#include "backends/engine/cuda/base/device.h"

namespace hlocts::cuda {

// Returns the GPU of this process. Returns Unavailable, with the reason, if there is no GPU or
// another GPU is open.
absl::StatusOr<std::shared_ptr<Device>> OpenCudaDevice(int32_t index = 0);
int32_t CudaDeviceCount();
// Returns the name, architecture and driver. Call OpenCudaDevice first.
std::string DeviceDescription();
// Returns the number of workers that fit the memory of that device.
int32_t WorkersMax();

// Returns NVRTC's log, with registers and spills, for a source and a target such as "sm_90". Needs
// no device. Returns Unavailable if there is no NVRTC, and Internal, with the log, if NVRTC rejects
// the source.
absl::StatusOr<std::string> CompilerLog(const std::string& source, const std::string& architecture,
                                        bool fast_math);

}  // namespace hlocts::cuda
