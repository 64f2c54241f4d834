// SPDX-License-Identifier: Apache-2.0
// Libraries of the toolkit, opened when a plan first needs them, on the runtime's stream.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_LIBRARY_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_LIBRARY_H_

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "backends/engine/cuda/base/libraries.h"
#include "backends/engine/cuda/runtime/driver.h"
#include "backends/engine/cuda/runtime/runtime_api.h"

namespace hlocts::cuda {

struct LibraryContext {
  const Driver* driver;
  CUstream stream;
  CUcontext context;
  int device;
};

struct LibraryStatus {
  hlocts_cuda_status status = HLOCTS_CUDA_OK;
  std::string reason;
  bool ok() const { return status == HLOCTS_CUDA_OK; }
};
LibraryStatus Declined();
// The call of a library failed: for want of memory, with the whole context, or alone. Then a kernel
// of the engine's own stands in, which is said once for each reason; with
// $HLOCTS_CUDA_STRICT_LIBRARIES it is a failure, so that suites show it.
LibraryStatus Refused(const std::string& reason);
LibraryStatus LibraryFailed(const LibraryContext& context, const char* what, int code,
                            bool out_of_memory);

// In $HLOCTS_CUDA_PATH, where the loader looks, in this build's toolkit, in Python's packages;
// nullptr where there is none.
void* OpenLibrary(const char* name);
// Those that are not there, in words; "" where all are.
std::string LibrariesMissing();

// A library as each device knows it, made when it is first asked for: T(stream).
template <class T>
T& OfDevice(const LibraryContext& context) {
  static std::mutex* mutex = new std::mutex();
  static std::map<int, T*>* all = new std::map<int, T*>();
  std::lock_guard<std::mutex> lock(*mutex);
  T*& one = (*all)[context.device];
  if (one == nullptr) one = new T(context.stream);
  return *one;
}

// Memory for the length of one call, in the order of the stream.
class Workspace {
 public:
  Workspace(const LibraryContext& context, size_t bytes);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  bool ok() const { return result_ == CUDA_SUCCESS; }
  LibraryStatus failure() const;
  void* data() const { return reinterpret_cast<void*>(address_); }

 private:
  const LibraryContext& context_;
  CUdeviceptr address_ = 0;
  CUresult result_ = CUDA_SUCCESS;
};

// What libraries prepared for a plan, by the plan's bytes; all given up when there are too many.
template <class Plan, class Prepared>
class PlanCache {
 public:
  // nullptr: not there yet.
  Prepared* Find(const Plan& plan) {
    const auto found = entries_.find(Key(plan));
    return found != entries_.end() ? &found->second : nullptr;
  }
  template <class Release>
  Prepared& Add(const Plan& plan, Prepared prepared, Release release) {
    if (entries_.size() >= kEntriesMax) {
      for (auto& [key, entry] : entries_) release(entry);
      entries_.clear();
    }
    return entries_[Key(plan)] = prepared;
  }

 private:
  static constexpr size_t kEntriesMax = 256;
  static std::string Key(const Plan& plan) {
    return std::string(reinterpret_cast<const char*>(&plan), sizeof(plan));
  }
  std::map<std::string, Prepared> entries_;
};

LibraryStatus CallCublasLt(const LibraryContext& context, const GemmPlan& plan,
                           const void* const* in, void* const* out);
// The same in two steps, for streams that are captured: whether it takes the plan on these arrays,
// with how many bytes of workspace, and the call.
LibraryStatus PrepareCublasLt(const LibraryContext& context, const GemmPlan& plan,
                              const void* const* in, void* const* out, size_t* workspace);
LibraryStatus EnqueueCublasLt(const LibraryContext& context, const GemmPlan& plan,
                              const void* const* in, void* const* out, void* workspace);
LibraryStatus CallCublas(const LibraryContext& context, const TriangularPlan& plan,
                         const void* const* in, void* const* out);
LibraryStatus CallCusolver(const LibraryContext& context, const CholeskyPlan& plan,
                           void* const* out);
LibraryStatus CallCufft(const LibraryContext& context, const FftPlan& plan, const void* const* in,
                        void* const* out);
// Declines where the build found no cuDNN.
LibraryStatus CallCudnn(const LibraryContext& context, const ConvolutionPlan& plan,
                        const void* const* in, void* const* out);
LibraryStatus CallCub(const LibraryContext& context, const SortPlan& plan, const void* const* in,
                      void* const* out);

// Whether NCCL is there. Members are devices of their own, in the order of in and out.
bool HasNccl();
// What went wrong in a collective that was only enqueued; "" for nothing.
std::string CollectiveError();
LibraryStatus CallNccl(const std::vector<LibraryContext>& members, const CollectiveCall& plan,
                       const void* const* in, void* const* out);

// Whether a result says that the context is of no use any more.
bool IsSticky(CUresult result);

// Members of a struct of a library's functions, and how they are found.
#define HLOCTS_LIBRARY_MEMBER(name) decltype(&::name) name##_ = nullptr;
#define HLOCTS_LIBRARY_FIND(name)                                       \
  name##_ = reinterpret_cast<decltype(name##_)>(dlsym(library, #name)); \
  if (name##_ == nullptr) return;

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_LIBRARY_H_
