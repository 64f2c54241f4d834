// Where a plan runs: memory and kernels of an NVIDIA GPU (through libhlocts_cuda.so), or of this
// machine, where the same kernels are loops (`cuda-host`).
#ifndef HLOCTS_BACKENDS_CUDA_DEVICE_H_
#define HLOCTS_BACKENDS_CUDA_DEVICE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "backends/cuda/device/dispatch.h"
#include "backends/cuda/libraries.h"
#include "spec/base/status.h"

namespace hlocts::cuda {

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
  // Threads 0 .. count - 1; of kernels of blocks, blocks. code: what Compile gave, -1 to interpret the program.
  virtual absl::Status Launch(hl::Kernel kernel, const void* arguments, int64_t bytes,
                              int64_t count, int64_t code) = 0;
  // A kernel with its program written out as `source`; -1 where nothing is compiled.
  virtual absl::StatusOr<int64_t> Compile(hl::Kernel kernel, const std::string& source) = 0;
  // Until all that was launched is done.
  virtual absl::Status Synchronize() = 0;
  // A plan of libraries.h. False: the library is not there, or does not take it.
  virtual absl::StatusOr<bool> CallLibrary(Library library, const void* plan, int64_t bytes,
                                           const void* const* in, void* const* out) = 0;
};

// The kernels as loops over their threads.
std::unique_ptr<Device> MakeHostDevice();
// One of them that stays.
Device& TheHost();

// A piece of a device's memory, given back when the last owner goes.
class Memory {
 public:
  static absl::StatusOr<std::shared_ptr<Memory>> New(Device& device, int64_t bytes);
  ~Memory() { device_.Release(data_); }
  Memory(const Memory&) = delete;
  void* data() const { return data_; }

 private:
  Memory(Device& device, void* data) : device_(device), data_(data) {}
  Device& device_;
  void* data_;
};
using Buffer = std::shared_ptr<Memory>;

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_CUDA_DEVICE_H_
