// SPDX-License-Identifier: Apache-2.0
// A device that keeps what it is told to launch, instead of launching it: memory is there, and
// stays where it is for as long as the recorder lives.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_BASE_RECORDER_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_BASE_RECORDER_H_

#include <map>
#include <set>
#include <vector>

#include "backends/engine/cuda/base/device.h"

namespace hlocts::cuda {

class Recorder : public Device {
 public:
  explicit Recorder(Device& device) : device_(device) {}
  ~Recorder() override;

  // Memory that nobody else gets when it is released.
  absl::StatusOr<void*> AllocatePinned(int64_t bytes);
  // A buffer that stands for such memory.
  Buffer Pinned(void* data) { return Memory::Of(*this, data); }
  LaunchGraph& graph() { return graph_; }

  // Memory that was released serves again: launches follow each other.
  absl::StatusOr<void*> Allocate(int64_t bytes) override;
  void Release(void* data) override;
  absl::Status Copy(void* to, const void* from, int64_t bytes) override;
  absl::Status Launch(hl::Kernel kernel, const void* arguments, int64_t bytes, int64_t count,
                      int64_t code) override;
  // Only products.
  absl::StatusOr<bool> CallLibrary(Library library, const void* plan, int64_t bytes,
                                   const void* const* in, void* const* out) override;
  // Nothing of this can be kept.
  absl::Status Upload(void* to, const void* from, int64_t bytes) override;
  absl::Status Download(void* to, const void* from, int64_t bytes) override;
  absl::StatusOr<int64_t> Compile(hl::Kernel kernel, const std::string& source) override;
  absl::Status Synchronize() override;

 private:
  Device& device_;
  LaunchGraph graph_;
  std::map<void*, int64_t> sizes_;
  std::multimap<int64_t, void*> free_;
  std::set<void*> pinned_;
};

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_BASE_RECORDER_H_
