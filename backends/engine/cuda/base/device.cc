// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/base/device.h"

namespace hlocts::cuda {

absl::Status Device::StartClock() {
  HLOCTS_RETURN_IF_ERROR(Synchronize());
  started_ = std::chrono::steady_clock::now();
  return absl::OkStatus();
}
absl::StatusOr<double> Device::StopClock() {
  HLOCTS_RETURN_IF_ERROR(Synchronize());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

absl::StatusOr<std::shared_ptr<Memory>> Memory::New(Device& device, int64_t bytes,
                                                    Account account) {
  HLOCTS_ASSIGN_OR_RETURN(void* data, device.Allocate(bytes));
  if (account != nullptr) *account += bytes;
  return std::shared_ptr<Memory>(new Memory(device, data, bytes, std::move(account)));
}

}  // namespace hlocts::cuda
