// SPDX-License-Identifier: Apache-2.0
// Device memory and kernel launches for the steps of a plan. The device is an NVIDIA GPU
// (runtime/), or the host (`cuda-host`), which runs the same kernels as loops.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/engine/cuda/base/libraries.h"
#include "backends/engine/cuda/device/dispatch.h"
#include "spec/base/status.h"

namespace hlocts::cuda {

class Device {
 public:
  virtual ~Device() = default;
  // Returns a non-null pointer, even for 0 bytes. Returns ResourceExhausted if memory is exhausted.
  virtual absl::StatusOr<void*> Allocate(int64_t bytes) = 0;
  virtual void Release(void* data) = 0;
  virtual absl::Status Upload(void* to, const void* from, int64_t bytes) = 0;
  // Waits until all earlier launches are complete, then copies.
  virtual absl::Status Download(void* to, const void* from, int64_t bytes) = 0;
  virtual absl::Status Copy(void* to, const void* from, int64_t bytes) = 0;
  // Runs threads 0 .. count - 1 of a kernel, or blocks 0 .. count - 1 of a block kernel. `code` is
  // the result of Compile, or -1 to interpret the kernel's program.
  virtual absl::Status Launch(hl::Kernel kernel, const void* arguments, int64_t count,
                              int64_t code) = 0;
  // Compiles `source`, which contains the kernel's program. Returns -1 if there is no compiler.
  virtual absl::StatusOr<int64_t> Compile(hl::Kernel kernel, const std::string& source,
                                          bool fast_math) = 0;
  virtual absl::Status Synchronize() = 0;
  // Measures seconds of device time. The default implementation uses the host's clock.
  virtual absl::Status StartClock();
  virtual absl::StatusOr<double> StopClock();
  // Returns false, without an effect, if no library supports the plan.
  virtual absl::StatusOr<bool> CallLibrary(const LibraryPlan& plan, const void* const* in,
                                           void* const* out) {
    return false;
  }

 private:
  std::chrono::steady_clock::time_point started_;
};

// Returns a device that runs kernels as loops over their threads.
std::unique_ptr<Device> MakeHostDevice();
// Returns the host device of this process, which is never destroyed.
Device& SharedHostDevice();

// The number of bytes that one run has in use.
using Account = std::shared_ptr<std::atomic<int64_t>>;

// A block of device memory. It is freed when its last owner is destroyed.
class Memory {
 public:
  // Allocates a block. `account` includes its bytes while the block exists, and may be null.
  static absl::StatusOr<std::shared_ptr<Memory>> New(Device& device, int64_t bytes,
                                                     Account account = nullptr);
  ~Memory() {
    device_.Release(data_);
    if (account_ != nullptr) *account_ -= bytes_;
  }
  Memory(const Memory&) = delete;
  void* data() const { return data_; }

 private:
  Memory(Device& device, void* data, int64_t bytes, Account account)
      : device_(device), data_(data), account_(std::move(account)), bytes_(bytes) {}
  Device& device_;
  void* data_;
  Account account_;
  int64_t bytes_;
};
using Buffer = std::shared_ptr<Memory>;

}  // namespace hlocts::cuda
