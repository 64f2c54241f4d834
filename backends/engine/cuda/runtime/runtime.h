// SPDX-License-Identifier: Apache-2.0
// One device, one stream: memory in the order of the stream, copies through pinned memory, kernels
// precompiled or compiled here, graphs of them, libraries.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_RUNTIME_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_RUNTIME_H_

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "backends/engine/cuda/runtime/compile.h"
#include "backends/engine/cuda/runtime/graph.h"
#include "backends/engine/cuda/runtime/library.h"
#include "backends/engine/cuda/runtime/runtime_api.h"
#include "backends/engine/cuda/runtime/staging.h"

namespace hlocts::cuda {

// The reason is the thread's last error.
hlocts_cuda_status Fail(hlocts_cuda_status status, std::string reason);
const std::string& LastReason();
// The driver, initialized; nullptr, with the reason kept, where there is none.
const Driver* InitializedDriver();

class Runtime {
 public:
  explicit Runtime(int index) : index_(index) {}
  hlocts_cuda_status Open();
  const std::string& description() const { return description_; }
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
  hlocts_cuda_status Keep(const hlocts_cuda_launch* launches, int64_t count, const void* again,
                          void* left, int64_t* graph);
  hlocts_cuda_status Replay(int64_t graph);
  void Forget(int64_t graph);

 private:
  hlocts_cuda_status OpenDevice();
  hlocts_cuda_status LoadGeneric();
  hlocts_cuda_status Check(CUresult result, const char* what);
  CUresult LoadCode(const Compiled& compiled, CUfunction& function);
  GraphStep StepOf(const hlocts_cuda_launch& launch) const;

  const int index_;
  const Driver* driver_ = nullptr;
  std::mutex mutex_;
  bool open_ = false;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  Staging staging_;
  std::string description_, architecture_;
  std::vector<CUfunction> generic_, compiled_;
  CUfunction condition_ = nullptr;
  std::map<std::string, int64_t> known_;  // source, with options, to its number
  std::map<int64_t, Graph> graphs_;
  int64_t next_graph_ = 0;
};

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_RUNTIME_H_
