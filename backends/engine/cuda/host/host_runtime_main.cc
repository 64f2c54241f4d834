// SPDX-License-Identifier: Apache-2.0
// A library that can stand for libhlocts_cuda.so: the border of runtime_api.h, and behind it the
// host's loops. What the engine does with a device's answers can be tested with it where no device
// is: $HLOCTS_CUDA_HOST_LOST names a kernel with whose launch the device is lost.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/types/span.h"
#include "backends/engine/cuda/base/device.h"
#include "backends/engine/cuda/runtime/runtime_api.h"

namespace hlocts::cuda {
namespace {

Device& TheDevice() {
  static Device* device = MakeHostDevice().release();
  return *device;
}

const char* LastError() { return "the stand-in for a device"; }
hlocts_cuda_status Open() { return HLOCTS_CUDA_OK; }
const char* Description() { return "the host's loops"; }
// $HLOCTS_CUDA_HOST_WORKERS: how many it says there is room for.
int32_t HostWorkers() {
  const char* count = std::getenv("HLOCTS_CUDA_HOST_WORKERS");
  return count != nullptr ? std::atoi(count) : 0;
}
hlocts_cuda_status ToBorder(const absl::Status& status) {
  return status.ok() ? HLOCTS_CUDA_OK : HLOCTS_CUDA_FAILED;
}
hlocts_cuda_status Allocate(int64_t bytes, void** data) {
  const auto allocated = TheDevice().Allocate(bytes);
  if (!allocated.ok()) return HLOCTS_CUDA_OUT_OF_MEMORY;
  *data = *allocated;
  return HLOCTS_CUDA_OK;
}
void Release(void* data) { TheDevice().Release(data); }
hlocts_cuda_status Upload(void* to, const void* from, int64_t bytes) {
  return ToBorder(TheDevice().Upload(to, from, bytes));
}
hlocts_cuda_status Download(void* to, const void* from, int64_t bytes) {
  return ToBorder(TheDevice().Download(to, from, bytes));
}
hlocts_cuda_status Copy(void* to, const void* from, int64_t bytes) {
  return ToBorder(TheDevice().Copy(to, from, bytes));
}
hlocts_cuda_status Launch(int32_t kernel, int64_t code, const void* arguments, int64_t count) {
  const char* lost = std::getenv("HLOCTS_CUDA_HOST_LOST");
  if (lost != nullptr && std::strcmp(lost, hl::kKernelNames[kernel]) == 0) return HLOCTS_CUDA_LOST;
  return ToBorder(TheDevice().Launch(static_cast<hl::Kernel>(kernel), arguments, 0, count, code));
}
// Nothing is compiled: the kernels interpret.
hlocts_cuda_status Load(const char*, int32_t, int64_t* code) {
  *code = -1;
  return HLOCTS_CUDA_OK;
}
hlocts_cuda_status Compile(const char*, const char*, int32_t, const char**) {
  return HLOCTS_CUDA_UNAVAILABLE;
}
hlocts_cuda_status CallLibrary(int32_t library, const void* plan, int64_t bytes,
                               const void* const* in, void* const* out) {
  const auto done = TheDevice().CallLibrary(static_cast<Library>(library), plan, bytes, in, out);
  return done.ok() && *done ? HLOCTS_CUDA_OK : HLOCTS_CUDA_DECLINED;
}
hlocts_cuda_status Keeps(int32_t library, const void* plan, int64_t bytes, const void* const* in,
                         void* const* out) {
  const auto keeps = TheDevice().Keeps(static_cast<Library>(library), plan, bytes, in, out);
  if (!keeps.ok()) return HLOCTS_CUDA_FAILED;
  return *keeps ? HLOCTS_CUDA_OK : HLOCTS_CUDA_DECLINED;
}
hlocts_cuda_status Synchronize() { return HLOCTS_CUDA_OK; }
Kept KindOf(int32_t kernel) {
  if (kernel >= 0) return Kept::kKernel;
  return kernel == HLOCTS_CUDA_KEPT_COPY ? Kept::kCopy : Kept::kProduct;
}
hlocts_cuda_status Keep(const hlocts_cuda_launch* launches, int64_t count, const void* again,
                        void* left, int64_t* number) {
  LaunchGraph graph;
  graph.again = static_cast<const uint8_t*>(again);
  graph.left = static_cast<int64_t*>(left);
  for (const hlocts_cuda_launch& l : absl::MakeSpan(launches, static_cast<size_t>(count))) {
    KeptLaunch& kept = graph.launches.emplace_back();
    kept.kind = KindOf(l.kernel);
    kept.kernel = static_cast<hl::Kernel>(l.kernel);
    kept.code = l.code;
    kept.count = l.count;
    kept.to = l.to;
    kept.from = l.from;
    kept.second = l.second;
    if (kept.kind == Kept::kCopy) continue;
    const auto* bytes = static_cast<const uint8_t*>(l.arguments);
    kept.arguments.assign(bytes, bytes + (kept.kind == Kept::kKernel ? hl::kArgumentBytes[l.kernel]
                                                                     : int64_t{sizeof(GemmPlan)}));
  }
  const auto kept = TheDevice().Keep(graph);
  if (kept.ok()) *number = *kept;
  return ToBorder(kept.status());
}
hlocts_cuda_status Replay(int64_t graph) { return ToBorder(TheDevice().Replay(graph)); }
void Forget(int64_t graph) { TheDevice().Forget(graph); }
// $HLOCTS_CUDA_HOST_DEVICES: how many devices it says it is.
int32_t DeviceCount() {
  const char* count = std::getenv("HLOCTS_CUDA_HOST_DEVICES");
  return count != nullptr ? std::atoi(count) : 1;
}
hlocts_cuda_status HostClock(int32_t stop, double* seconds) {
  using std::chrono::steady_clock;
  static steady_clock::time_point started;
  if (stop == 0) started = steady_clock::now();
  if (stop != 0) *seconds = std::chrono::duration<double>(steady_clock::now() - started).count();
  return HLOCTS_CUDA_OK;
}
void Use(int32_t) {}
int32_t Collects() { return 1; }
hlocts_cuda_status Collect(const void* plan, int64_t, const int32_t* devices, const void* const* in,
                           void* const* out) {
  return ToBorder(TheDevice().Collect(*static_cast<const CollectiveCall*>(plan), devices, in, out));
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
                                      HostWorkers,
                                      Allocate,
                                      Release,
                                      Upload,
                                      Download,
                                      Copy,
                                      Launch,
                                      Load,
                                      Compile,
                                      CallLibrary,
                                      Synchronize,
                                      Keeps,
                                      Keep,
                                      Replay,
                                      Forget,
                                      Collects,
                                      Collect,
                                      HostClock};
  return &api;
}
