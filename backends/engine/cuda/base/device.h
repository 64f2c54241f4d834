// SPDX-License-Identifier: Apache-2.0
// Where a plan runs: memory and kernels of an NVIDIA GPU (through libhlocts_cuda.so), or of this
// machine, where the same kernels are loops (`cuda-host`).
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_BASE_DEVICE_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_BASE_DEVICE_H_

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

// A kernel with its arguments, a copy of `count` bytes, or a product by cuBLASLt, for later.
enum class Kept : uint8_t { kKernel, kCopy, kProduct };
struct KeptLaunch {
  Kept kind = Kept::kKernel;
  hl::Kernel kernel = hl::Kernel();
  int64_t count = 0, code = -1;
  std::vector<uint8_t> arguments;  // of a kernel; the GemmPlan of a product
  void* to = nullptr;              // of copies and products
  const void* from = nullptr;
  const void* second = nullptr;  // a product's B
};
// Launches on memory that stays where it is, in order. With a condition they are repeated while the
// pred `again`, which they set, is true and *left > 0, which every turn lowers by one.
struct LaunchGraph {
  std::vector<KeptLaunch> launches;
  const uint8_t* again = nullptr;
  int64_t* left = nullptr;
};

class Device {
 public:
  virtual ~Device() = default;
  // Never nullptr, also for 0 bytes. ResourceExhausted when there is no more.
  virtual absl::StatusOr<void*> Allocate(int64_t bytes) = 0;
  virtual void Release(void* data) = 0;
  virtual absl::Status Upload(void* to, const void* from, int64_t bytes) = 0;
  // Waits for all that was launched before.
  virtual absl::Status Download(void* to, const void* from, int64_t bytes) = 0;
  virtual absl::Status Copy(void* to, const void* from, int64_t bytes) = 0;
  // Threads 0 .. count - 1; of kernels of blocks, blocks. code: what Compile gave, -1 to interpret
  // the program.
  virtual absl::Status Launch(hl::Kernel kernel, const void* arguments, int64_t bytes,
                              int64_t count, int64_t code) = 0;
  // A kernel with its program written out as `source`; -1 where nothing is compiled.
  virtual absl::StatusOr<int64_t> Compile(hl::Kernel kernel, const std::string& source) = 0;
  // Until all that was launched is done.
  virtual absl::Status Synchronize() = 0;
  // Seconds between the two on the device; by default by the host's clock, which adds its own ways.
  virtual absl::Status StartClock();
  virtual absl::StatusOr<double> StopClock();
  // A plan of libraries.h. False: the library is not there, or does not take it.
  virtual absl::StatusOr<bool> CallLibrary(Library library, const void* plan, int64_t bytes,
                                           const void* const* in, void* const* out) = 0;
  // Whether a library would take the plan on these arrays, which a graph then can do too;
  // Unimplemented: graphs cannot do it.
  virtual absl::StatusOr<bool> Keeps(Library, const void*, int64_t, const void* const*,
                                     void* const*) {
    return NotThere("graphs with calls of libraries");
  }
  // The number of a graph; it is run as often as one likes, until it is forgotten.
  virtual absl::StatusOr<int64_t> Keep(const LaunchGraph&) { return NotThere("graphs"); }
  virtual absl::Status Replay(int64_t) { return NotThere("graphs"); }
  virtual void Forget(int64_t) {}
  // Its number among the devices that Collect knows; -1: it does not know this one.
  virtual int32_t index() const { return -1; }
  // Each member's part, in the order of its own launches; `devices` are their numbers. One member's
  // thread calls it while the others wait.
  virtual absl::Status Collect(const CollectiveCall&, const int32_t*, const void* const*,
                               void* const*) {
    return NotThere("collectives");
  }

 private:
  static absl::Status NotThere(absl::string_view what) {
    return absl::UnimplementedError(absl::StrCat("the device has no ", what));
  }
  std::chrono::steady_clock::time_point started_;
};
using Devices = std::vector<std::shared_ptr<Device>>;

// The kernels as loops over their threads.
std::unique_ptr<Device> MakeHostDevice(int32_t index = 0);
// One of them that stays.
Device& TheHost();

// How many bytes a run holds.
using Account = std::shared_ptr<std::atomic<int64_t>>;

// A piece of a device's memory, given back when the last owner goes.
class Memory {
 public:
  // account: where it counts for as long as it lives; may be null.
  static absl::StatusOr<std::shared_ptr<Memory>> New(Device& device, int64_t bytes,
                                                     Account account = nullptr);
  // What the device has allocated already.
  static std::shared_ptr<Memory> Of(Device& device, void* data);
  ~Memory() {
    device_.Release(data_);
    if (account_ != nullptr) *account_ -= bytes_;
  }
  Memory(const Memory&) = delete;
  void* data() const { return data_; }

 private:
  Memory(Device& device, void* data) : device_(device), data_(data) {}
  Device& device_;
  void* data_;
  Account account_;
  int64_t bytes_ = 0;
};
using Buffer = std::shared_ptr<Memory>;

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_BASE_DEVICE_H_
