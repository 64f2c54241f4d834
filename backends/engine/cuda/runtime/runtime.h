// SPDX-License-Identifier: Apache-2.0
// One device, one stream: memory in the order of the stream, copies through pinned memory, kernels
// precompiled or compiled here, graphs of them, libraries.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_RUNTIME_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_RUNTIME_H_

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "backends/engine/cuda/runtime/graph.h"
#include "backends/engine/cuda/runtime/kernel_store.h"
#include "backends/engine/cuda/runtime/library.h"
#include "backends/engine/cuda/runtime/runtime_api.h"
#include "backends/engine/cuda/runtime/staging.h"

namespace hlocts::cuda {

// The reason is the thread's last error.
hlocts_cuda_status Fail(hlocts_cuda_status status, std::string reason);
const std::string& LastReason();
// The driver, initialized; nullptr, with the reason kept, where there is none.
const Driver* InitializedDriver();

#define HLOCTS_RETURN_IF_BAD(expression)            \
  do {                                              \
    const hlocts_cuda_status status = (expression); \
    if (status != HLOCTS_CUDA_OK) return status;    \
  } while (false)

inline CUdeviceptr Address(const void* data) { return reinterpret_cast<CUdeviceptr>(data); }

class Runtime {
 public:
  explicit Runtime(int index) : index_(index) {}
  // Whatever goes wrong here is Unavailable: nothing has run yet, so that nothing is lost.
  hlocts_cuda_status Open();
  const std::string& description() const { return description_; }
  int32_t workers_max() const { return workers_max_; }
  LibraryContext library_context() const { return {driver_, stream_, context_, index_}; }
  hlocts_cuda_status Allocate(int64_t bytes, void** data);
  void Release(void* data);
  hlocts_cuda_status Upload(void* to, const void* from, int64_t bytes);
  hlocts_cuda_status Download(void* to, const void* from, int64_t bytes);
  hlocts_cuda_status Copy(void* to, const void* from, int64_t bytes);
  hlocts_cuda_status Launch(int32_t kernel, int64_t code, const void* arguments, int64_t count);
  hlocts_cuda_status Load(const char* source, bool fast_math, int64_t* code);
  hlocts_cuda_status CallLibrary(Library library, const void* plan, int64_t bytes,
                                 const void* const* in, void* const* out);
  hlocts_cuda_status Synchronize();
  // Begins to measure, or (stop) waits and says how many seconds the device took.
  hlocts_cuda_status Clock(bool stop, double* seconds);
  hlocts_cuda_status Keeps(Library library, const void* plan, int64_t bytes, const void* const* in,
                           void* const* out);
  hlocts_cuda_status Keep(const hlocts_cuda_launch* launches, int64_t count, const void* again,
                          void* left, int64_t* graph);
  hlocts_cuda_status Replay(int64_t graph);
  void Forget(int64_t graph);

 private:
  // Of open.cc.
  hlocts_cuda_status OpenDevice();
  hlocts_cuda_status Describe();
  hlocts_cuda_status OpenContext();
  hlocts_cuda_status OpenPool();
  hlocts_cuda_status LoadGeneric();
  hlocts_cuda_status CheckOpen(CUresult result, const char* what);

  // Every call begins with it: the device's calls come one after the other, in its context.
  class Turn;
  hlocts_cuda_status Check(CUresult result, const std::string& what);
  // What comes to light when the host waits happened in some kernel before: nothing after it
  // counts.
  hlocts_cuda_status CheckWait(CUresult result, const char* what);
  hlocts_cuda_status CheckStored(const StoreResult& result);
  hlocts_cuda_status FunctionOf(int32_t kernel, int64_t code, bool pinned, CUfunction* function);
  hlocts_cuda_status StepOf(const hlocts_cuda_launch& launch, bool pinned, GraphStep* step);
  // Of a product, whose workspace becomes the graph's.
  hlocts_cuda_status ProductOf(const hlocts_cuda_launch& launch, Graph* graph, GraphStep* step);
  hlocts_cuda_status KeepIn(const hlocts_cuda_launch* launches, int64_t count,
                            const GraphCondition& condition, Graph* graph);
  void ReleaseKept(const Graph& graph);
  hlocts_cuda_status AfterLaunch(int32_t kernel, int64_t code);
  // Once, where $HLOCTS_CUDA_PLANT is "write".
  hlocts_cuda_status Plant();

  const int index_;
  const Driver* driver_ = nullptr;
  std::mutex mutex_;
  bool open_ = false;
  bool waits_ = false, poisons_ = false;  // $HLOCTS_CUDA_SYNC, $HLOCTS_CUDA_POISON
  bool plants_ = false;
  int32_t workers_max_ = 0;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  CUmemoryPool pool_ = nullptr;
  CUevent started_ = nullptr, stopped_ = nullptr;
  Staging staging_;
  std::string description_, architecture_;
  CUmodule carried_ = nullptr;       // the kernels of the library
  std::vector<CUfunction> generic_;  // nullptr: not asked for yet
  CUfunction condition_ = nullptr;
  KernelStore store_;
  std::map<int64_t, Graph> graphs_;
  int64_t next_graph_ = 0;
};

class Runtime::Turn {
 public:
  explicit Turn(Runtime& runtime) : lock_(runtime.mutex_) {
    runtime.driver_->cuCtxSetCurrent_(runtime.context_);
  }

 private:
  std::lock_guard<std::mutex> lock_;
};

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_RUNTIME_H_
