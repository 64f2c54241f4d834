// A library that can stand for libhlocts_cuda.so: the border of runtime_api.h, and behind it the host's
// loops. What the engine does with a device's answers can be tested with it where no device is:
// $HLOCTS_CUDA_HOST_LOST names a kernel with whose launch the device is lost.
#include <cstdlib>
#include <cstring>
#include <string>

#include "backends/cuda/device.h"
#include "backends/cuda/runtime/runtime_api.h"

namespace hlocts::cuda {
namespace {

Device& TheDevice() {
  static Device* device = MakeHostDevice().release();
  return *device;
}

const char* LastError() { return "the stand-in for a device"; }
hlocts_cuda_status Open() { return HLOCTS_CUDA_OK; }
const char* Description() { return "the host's loops"; }
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
hlocts_cuda_status CallLibrary(int32_t library, const void* plan, int64_t bytes, const void* const* in,
                               void* const* out) {
  const auto done = TheDevice().CallLibrary(static_cast<Library>(library), plan, bytes, in, out);
  return done.ok() && *done ? HLOCTS_CUDA_OK : HLOCTS_CUDA_DECLINED;
}
hlocts_cuda_status Synchronize() { return HLOCTS_CUDA_OK; }

}  // namespace
}  // namespace hlocts::cuda

extern "C" __attribute__((visibility("default"))) const hlocts_cuda_api* hlocts_cuda_get_api(void) {
  using namespace hlocts::cuda;
  static const hlocts_cuda_api api = {
      HLOCTS_CUDA_API_VERSION, LastError, Open, Description, Allocate, Release, Upload, Download, Copy,
      Launch, Load, Compile, CallLibrary, Synchronize};
  return &api;
}
