// SPDX-License-Identifier: Apache-2.0
// CUDA libraries, which are opened when a plan first requires them. They use the GPU's stream.
#pragma once

#include <map>
#include <string>

#include "backends/engine/cuda/base/libraries.h"
#include "backends/engine/cuda/runtime/gpu.h"

namespace hlocts::cuda {

// Searches $HLOCTS_CUDA_PATH, the system's directories, this build's toolkit, and Python packages.
// Returns the opened library, or nullptr if it is not found.
void* OpenLibrary(const char* name);
// Returns the names of the missing libraries, or "" if none is missing.
std::string LibrariesMissing();

// Defines the members of a struct of a library's functions, and the statements of its constructor.
#define HLOCTS_LIBRARY_MEMBER(name) decltype(&::name) name##_ = nullptr;
#define HLOCTS_LIBRARY_FIND(name)                                       \
  name##_ = reinterpret_cast<decltype(name##_)>(dlsym(library, #name)); \
  if (name##_ == nullptr) return;

// Refused reports a library's failure. It prints each reason once and returns false, so that a
// kernel of the engine runs instead; under $HLOCTS_CUDA_STRICT_LIBRARIES it returns an error, which
// fails the case. LibraryFailed returns ResourceExhausted if memory is exhausted, ends the process
// if the GPU is lost, and otherwise calls Refused.
absl::StatusOr<bool> Refused(const std::string& reason);
absl::StatusOr<bool> LibraryFailed(const Gpu& gpu, const char* what, int code, bool out_of_memory);

// Memory for one library call, allocated and freed in the order of the stream.
class Workspace {
 public:
  Workspace(const Gpu& gpu, size_t bytes) : gpu_(gpu) {
    if (bytes > 0) result_ = gpu.driver->cuMemAllocAsync_(&address_, bytes, gpu.stream);
  }
  ~Workspace() {
    if (address_ != 0) gpu_.driver->cuMemFreeAsync_(address_, gpu_.stream);
  }
  Workspace(const Workspace&) = delete;
  absl::Status status() const { return gpu_.Check(result_, "a workspace"); }
  void* data() const { return reinterpret_cast<void*>(address_); }

 private:
  const Gpu& gpu_;
  CUdeviceptr address_ = 0;
  CUresult result_ = CUDA_SUCCESS;
};

// A cache of prepared plans, by the bytes of the plan. If it is full, all entries are released.
template <class Plan, class Prepared>
class PlanCache {
 public:
  template <class Prepare, class Release>
  Prepared& FindOrAdd(const Plan& plan, Prepare prepare, Release release) {
    const std::string key(reinterpret_cast<const char*>(&plan), sizeof(plan));
    const auto found = entries_.find(key);
    if (found != entries_.end()) return found->second;
    if (entries_.size() >= kEntriesMax) {
      for (auto& [other, entry] : entries_) release(entry);
      entries_.clear();
    }
    return entries_[key] = prepare(plan);
  }

 private:
  static constexpr size_t kEntriesMax = 256;
  std::map<std::string, Prepared> entries_;
};

// Return true if the call is enqueued, and false if no library supports the plan.
absl::StatusOr<bool> Call(const Gpu& gpu, const GemmPlan& plan, const void* const* in,
                          void* const* out);
absl::StatusOr<bool> Call(const Gpu& gpu, const ConvolutionPlan& plan, const void* const* in,
                          void* const* out);
absl::StatusOr<bool> Call(const Gpu& gpu, const SortPlan& plan, const void* const* in,
                          void* const* out);

}  // namespace hlocts::cuda
