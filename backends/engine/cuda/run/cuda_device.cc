// SPDX-License-Identifier: Apache-2.0
// Defines the functions of cuda_device.h in a build without the CUDA toolkit. There is no GPU.
#ifndef HLOCTS_HAVE_CUDA
#include "backends/engine/cuda/run/cuda_device.h"

namespace hlocts::cuda {
namespace {

absl::Status LeftOut() {
  return absl::UnavailableError(
      "this build has no CUDA: expected the CUDA toolkit 13.0 or newer when it is configured");
}

}  // namespace

absl::StatusOr<std::shared_ptr<Device>> OpenCudaDevice(int32_t) { return LeftOut(); }
int32_t CudaDeviceCount() { return 0; }
std::string DeviceDescription() { return ""; }
int32_t WorkersMax() { return 0; }
absl::StatusOr<std::string> CompilerLog(const std::string&, const std::string&, bool) {
  return LeftOut();
}

}  // namespace hlocts::cuda
#endif
