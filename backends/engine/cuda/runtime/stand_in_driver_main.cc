// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 for tests of the runtime without a GPU. It allocates host memory; kernels do
// nothing. HLOCTS_DRIVER_FAIL lists failures as function:code:count. Without a count, every call
// fails:
//   HLOCTS_DRIVER_FAIL=cuDevicePrimaryCtxRetain:46,cuMemAllocAsync:2:1
// hlocts_driver_calls("cuMemPoolTrimTo") returns how often a function was called.
#include <cuda.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace {

std::mutex& DriverMutex() {
  static std::mutex* mutex = new std::mutex();
  return *mutex;
}
std::map<std::string, int>& Calls() {
  static std::map<std::string, int>* calls = new std::map<std::string, int>();
  return *calls;
}

// Counts the call, and returns the result configured for it.
CUresult Result(const char* name) {
  std::lock_guard<std::mutex> lock(DriverMutex());
  const int calls = ++Calls()[name];
  const char* fail = std::getenv("HLOCTS_DRIVER_FAIL");
  const std::string list = fail != nullptr ? std::string(",") + fail + "," : "";
  const size_t at = list.find("," + std::string(name) + ":");
  if (at == list.npos) return CUDA_SUCCESS;
  char* end = nullptr;
  const long code = std::strtol(list.c_str() + list.find(':', at) + 1, &end, 10);
  const long times = *end == ':' ? std::strtol(end + 1, nullptr, 10) : calls;
  return calls <= times ? static_cast<CUresult>(code) : CUDA_SUCCESS;
}

template <class T>
T Handle() {
  static char places[1 << 16];
  static size_t next = 0;
  return reinterpret_cast<T>(places + (next++ % sizeof(places)));
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default"))) CUresult
// Defines a function that only counts its calls.
#define NOTHING(name, ...) \
  EXPORT name(__VA_ARGS__) { return Result(#name); }

extern "C" __attribute__((visibility("default"))) int hlocts_driver_calls(const char* name) {
  std::lock_guard<std::mutex> lock(DriverMutex());
  return Calls()[name];
}

NOTHING(cuInit, unsigned)
EXPORT cuDeviceGetCount(int* count) {
  const char* devices = std::getenv("HLOCTS_DRIVER_DEVICES");
  *count = devices != nullptr ? std::atoi(devices) : 1;
  return Result("cuDeviceGetCount");
}
EXPORT cuDeviceGet(CUdevice* device, int index) {
  *device = index;
  return Result("cuDeviceGet");
}
EXPORT cuDeviceGetName(char* name, int size, CUdevice) {
  std::strncpy(name, "stand-in", static_cast<size_t>(size));
  return Result("cuDeviceGetName");
}
EXPORT cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  const char* pools = std::getenv("HLOCTS_DRIVER_POOLS");
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
           : attribute == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED
               ? (pools ? std::atoi(pools) : 1)
               : 0;
  return Result("cuDeviceGetAttribute");
}
EXPORT cuDriverGetVersion(int* version) {
  const char* given = std::getenv("HLOCTS_DRIVER_VERSION");
  *version = given != nullptr ? std::atoi(given) : 13000;
  return Result("cuDriverGetVersion");
}
NOTHING(cuDevicePrimaryCtxSetFlags_v2, CUdevice, unsigned)
EXPORT cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = Handle<CUcontext>();
  return Result("cuDevicePrimaryCtxRetain");
}
NOTHING(cuCtxSetCurrent, CUcontext)
EXPORT cuStreamCreate(CUstream* stream, unsigned) {
  *stream = Handle<CUstream>();
  return Result("cuStreamCreate");
}
NOTHING(cuStreamSynchronize, CUstream)
EXPORT cuEventCreate(CUevent* event, unsigned) {
  *event = Handle<CUevent>();
  return Result("cuEventCreate");
}
NOTHING(cuEventRecord, CUevent, CUstream)
NOTHING(cuEventSynchronize, CUevent)
EXPORT cuEventElapsedTime_v2(float* milliseconds, CUevent, CUevent) {
  *milliseconds = 2;
  return Result("cuEventElapsedTime");
}
EXPORT cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice) {
  *pool = Handle<CUmemoryPool>();
  return Result("cuDeviceGetDefaultMemPool");
}
NOTHING(cuMemPoolSetAttribute, CUmemoryPool, CUmemPool_attribute, void*)
NOTHING(cuMemPoolTrimTo, CUmemoryPool, size_t)
EXPORT cuMemGetInfo_v2(size_t* free, size_t* total) {
  const char* given = std::getenv("HLOCTS_DRIVER_FREE_GIB");
  *free = static_cast<size_t>(given != nullptr ? std::atoi(given) : 1) << 30;
  *total = *free + (size_t{15} << 30);
  return Result("cuMemGetInfo");
}
EXPORT cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream) {
  const CUresult result = Result("cuMemAllocAsync");
  if (result == CUDA_SUCCESS) *address = reinterpret_cast<CUdeviceptr>(std::malloc(bytes));
  return result;
}
EXPORT cuMemFreeAsync(CUdeviceptr address, CUstream) {
  std::free(reinterpret_cast<void*>(address));
  return Result("cuMemFreeAsync");
}
EXPORT cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return Result("cuMemcpyHtoDAsync");
}
EXPORT cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream) {
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return Result("cuMemcpyDtoHAsync");
}
EXPORT cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  return Result("cuMemcpyDtoDAsync");
}
EXPORT cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream) {
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return Result("cuMemsetD8Async");
}
EXPORT cuModuleLoadDataEx(CUmodule* module, const void*, unsigned, CUjit_option*, void**) {
  *module = Handle<CUmodule>();
  return Result("cuModuleLoadDataEx");
}
NOTHING(cuModuleUnload, CUmodule)
EXPORT cuModuleGetFunction(CUfunction* function, CUmodule, const char*) {
  *function = Handle<CUfunction>();
  return Result("cuModuleGetFunction");
}
NOTHING(cuLaunchKernel, CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
        unsigned, CUstream, void**, void**)
// NVRTC queries every driver for the export tables of tools.
EXPORT cuGetExportTable(const void** table, const CUuuid*) {
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}
EXPORT cuGetErrorName(CUresult code, const char** name) {
  static std::map<int, std::string>* names = new std::map<int, std::string>();
  std::lock_guard<std::mutex> lock(DriverMutex());
  *name = ((*names)[code] = "error " + std::to_string(code)).c_str();
  return CUDA_SUCCESS;
}
EXPORT cuGetErrorString(CUresult, const char** text) {
  *text = "as the test said";
  return CUDA_SUCCESS;
}
