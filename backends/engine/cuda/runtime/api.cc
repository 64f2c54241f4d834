// SPDX-License-Identifier: Apache-2.0
// The border: which device a thread means, and its runtime.
#include <map>
#include <mutex>

#include "backends/engine/cuda/runtime/compile.h"
#include "backends/engine/cuda/runtime/runtime.h"

namespace hlocts::cuda {
namespace {

thread_local int32_t t_device = 0;

// Never destroyed: the driver may be gone before.
Runtime& RuntimeOf(int32_t device) {
  static std::mutex* mutex = new std::mutex();
  static std::map<int32_t, Runtime*>* runtimes = new std::map<int32_t, Runtime*>();
  std::lock_guard<std::mutex> lock(*mutex);
  Runtime*& runtime = (*runtimes)[device];
  if (runtime == nullptr) runtime = new Runtime(device);
  return *runtime;
}
Runtime& Here() { return RuntimeOf(t_device); }

int32_t DeviceCount() {
  const Driver* driver = InitializedDriver();
  int count = 0;
  return driver != nullptr && driver->cuDeviceGetCount_(&count) == CUDA_SUCCESS ? count : 0;
}
void Use(int32_t device) { t_device = device; }
const char* LastError() { return LastReason().c_str(); }
const char* Description() { return Here().description().c_str(); }
int32_t WorkersMax() { return Here().workers_max(); }
hlocts_cuda_status Open() { return Here().Open(); }
hlocts_cuda_status Allocate(int64_t bytes, void** data) { return Here().Allocate(bytes, data); }
void Release(void* data) { Here().Release(data); }
hlocts_cuda_status Upload(void* to, const void* from, int64_t bytes) {
  return Here().Upload(to, from, bytes);
}
hlocts_cuda_status Download(void* to, const void* from, int64_t bytes) {
  return Here().Download(to, from, bytes);
}
hlocts_cuda_status Copy(void* to, const void* from, int64_t bytes) {
  return Here().Copy(to, from, bytes);
}
hlocts_cuda_status Launch(int32_t kernel, int64_t code, const void* arguments, int64_t count) {
  return Here().Launch(kernel, code, arguments, count);
}
hlocts_cuda_status Load(const char* source, int32_t fast_math, int64_t* code) {
  return Here().Load(source, fast_math != 0, code);
}
hlocts_cuda_status Synchronize() { return Here().Synchronize(); }
hlocts_cuda_status Keep(const hlocts_cuda_launch* launches, int64_t count, const void* again,
                        void* left, int64_t* graph) {
  return Here().Keep(launches, count, again, left, graph);
}
hlocts_cuda_status Replay(int64_t graph) { return Here().Replay(graph); }
void Forget(int64_t graph) { Here().Forget(graph); }
hlocts_cuda_status Clock(int32_t stop, double* seconds) { return Here().Clock(stop != 0, seconds); }
int32_t Collects() { return HasNccl() ? 1 : 0; }
hlocts_cuda_status Collect(const void* plan, int64_t bytes, const int32_t* devices,
                           const void* const* in, void* const* out) {
  const auto& call = *static_cast<const CollectiveCall*>(plan);
  if (bytes != static_cast<int64_t>(sizeof(call))) return HLOCTS_CUDA_DECLINED;
  std::vector<LibraryContext> members;
  for (int m = 0; m < call.members; ++m) {
    members.push_back(RuntimeOf(devices[m]).library_context());
  }
  const LibraryStatus done = CallNccl(members, call, in, out);
  return done.ok() ? HLOCTS_CUDA_OK : Fail(done.status, done.reason);
}
hlocts_cuda_status CallLibraryOf(int32_t library, const void* plan, int64_t bytes,
                                 const void* const* in, void* const* out) {
  return Here().CallLibrary(static_cast<Library>(library), plan, bytes, in, out);
}
hlocts_cuda_status Keeps(int32_t library, const void* plan, int64_t bytes, const void* const* in,
                         void* const* out) {
  return Here().Keeps(static_cast<Library>(library), plan, bytes, in, out);
}
hlocts_cuda_status Compile(const char* source, const char* architecture, int32_t fast_math,
                           const char** log) {
  thread_local std::string kept;
  const Compiled compiled = CompileSource(source, architecture, fast_math != 0);
  kept = compiled.log;
  *log = kept.c_str();
  if (compiled.ok) return HLOCTS_CUDA_OK;
  return Fail(compiled.available ? HLOCTS_CUDA_COMPILE_ERROR : HLOCTS_CUDA_UNAVAILABLE, kept);
}

}  // namespace
}  // namespace hlocts::cuda

extern "C" __attribute__((visibility("default"))) const hlocts_cuda_api* hlocts_cuda_get_api(void) {
  using namespace hlocts::cuda;
  static const hlocts_cuda_api api = {HLOCTS_CUDA_API_VERSION,
                                      LastError,
                                      DeviceCount,
                                      Use,
                                      Open,
                                      Description,
                                      WorkersMax,
                                      Allocate,
                                      Release,
                                      Upload,
                                      Download,
                                      Copy,
                                      Launch,
                                      Load,
                                      Compile,
                                      CallLibraryOf,
                                      Synchronize,
                                      Keeps,
                                      Keep,
                                      Replay,
                                      Forget,
                                      Collects,
                                      Collect,
                                      Clock};
  return &api;
}
