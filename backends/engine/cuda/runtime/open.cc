// SPDX-License-Identifier: Apache-2.0
// Opening a device: what can be missing, in words.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "backends/engine/cuda/device/dispatch_names.h"
#include "backends/engine/cuda/runtime/runtime.h"

namespace hlocts::cuda {
namespace {

// Freed memory stays with the process up to this share of the device's: workers share the device.
constexpr size_t kPoolShare = 16;
// Of a process beside others: its context and the stacks of its kernels take about half of it (2
// KiB for each of 2,048 threads of a hundred processors and more), the rest is for arrays.
constexpr size_t kBytesOfWorker = size_t{2} << 30;
constexpr size_t kKernelsLoadedMax = 2048;
constexpr int kDriverWanted = 13000;  // CUDA 13.0: driver 580

bool IsSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

std::string Version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

const char* HintFor(CUresult result) {
  switch (result) {
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return " (another process holds the GPU in exclusive mode: --jobs=1, or NVIDIA MPS)";
    case CUDA_ERROR_OUT_OF_MEMORY:
      return " (fewer --jobs, or a GPU that nobody else uses)";
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
      return " (build with this GPU in HLOCTS_CUDA_ARCHITECTURES, or update the driver)";
    default:
      return "";
  }
}

}  // namespace

const Driver* InitializedDriver() {
  std::string reason;
  const Driver* driver = OpenDriver(reason);
  if (driver == nullptr) {
    Fail(HLOCTS_CUDA_UNAVAILABLE, reason);
    return nullptr;
  }
  const CUresult initialized = driver->cuInit_(0);
  if (initialized == CUDA_SUCCESS) return driver;
  const bool none = initialized == CUDA_ERROR_NO_DEVICE;
  Fail(HLOCTS_CUDA_UNAVAILABLE,
       (none ? "no CUDA device: " : "cuInit: ") + ErrorText(*driver, initialized));
  return nullptr;
}

hlocts_cuda_status Runtime::CheckOpen(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return HLOCTS_CUDA_OK;
  return Fail(HLOCTS_CUDA_UNAVAILABLE, (description_.empty() ? "" : description_ + ": ") +
                                           std::string(what) + ": " + ErrorText(*driver_, result) +
                                           HintFor(result));
}

hlocts_cuda_status Runtime::Open() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (open_) return HLOCTS_CUDA_OK;
  driver_ = InitializedDriver();
  if (driver_ == nullptr) return HLOCTS_CUDA_UNAVAILABLE;
  int count = 0;
  HLOCTS_RETURN_IF_BAD(CheckOpen(driver_->cuDeviceGetCount_(&count), "cuDeviceGetCount"));
  if (count <= index_) {
    return Fail(HLOCTS_CUDA_UNAVAILABLE, "no CUDA device " + std::to_string(index_) +
                                             ": there are " + std::to_string(count));
  }
  // Its 1 would round f32 operands whatever a call asks for.
  const char* tf32 = std::getenv("NVIDIA_TF32_OVERRIDE");
  if (tf32 != nullptr && std::strcmp(tf32, "1") == 0) unsetenv("NVIDIA_TF32_OVERRIDE");
  waits_ = IsSet("HLOCTS_CUDA_SYNC");
  poisons_ = IsSet("HLOCTS_CUDA_POISON");
  const char* plant = std::getenv("HLOCTS_CUDA_PLANT");
  plants_ = plant != nullptr && std::strcmp(plant, "write") == 0;
  HLOCTS_RETURN_IF_BAD(OpenDevice());
  open_ = true;
  return HLOCTS_CUDA_OK;
}

hlocts_cuda_status Runtime::OpenDevice() {
  HLOCTS_RETURN_IF_BAD(CheckOpen(driver_->cuDeviceGet_(&device_, index_), "cuDeviceGet"));
  HLOCTS_RETURN_IF_BAD(Describe());
  HLOCTS_RETURN_IF_BAD(OpenContext());
  HLOCTS_RETURN_IF_BAD(OpenPool());
  HLOCTS_RETURN_IF_BAD(CheckOpen(staging_.Open(*driver_, stream_), "pinned memory"));
  HLOCTS_RETURN_IF_BAD(LoadGeneric());
  store_.Open(driver_, architecture_, kKernelsLoadedMax);
  const std::string missing = LibrariesMissing();
  if (!missing.empty()) description_ += ", without " + missing;
  return HLOCTS_CUDA_OK;
}

hlocts_cuda_status Runtime::Describe() {
  char name[256] = "";
  int major = 0, minor = 0, version = 0;
  driver_->cuDeviceGetName_(name, sizeof(name), device_);
  driver_->cuDeviceGetAttribute_(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device_);
  driver_->cuDeviceGetAttribute_(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device_);
  driver_->cuDriverGetVersion_(&version);
  architecture_ = "sm_" + std::to_string(major) + std::to_string(minor);
  description_ = std::string(name) + ", " + architecture_ + ", driver for CUDA " + Version(version);
  if (major < 8) {
    return Fail(HLOCTS_CUDA_UNAVAILABLE,
                description_ + ": expected compute capability 8.0 or more");
  }
  if (version < kDriverWanted) {
    return Fail(HLOCTS_CUDA_UNAVAILABLE,
                description_ + ": expected a driver for CUDA 13.0 or newer (580 or newer)");
  }
  return HLOCTS_CUDA_OK;
}

// A waiting worker sleeps: the processor is the judge's. $HLOCTS_CUDA_SPIN is for measurements.
hlocts_cuda_status Runtime::OpenContext() {
  if (!IsSet("HLOCTS_CUDA_SPIN")) {
    driver_->cuDevicePrimaryCtxSetFlags_(device_, CU_CTX_SCHED_BLOCKING_SYNC);
  }
  HLOCTS_RETURN_IF_BAD(CheckOpen(driver_->cuDevicePrimaryCtxRetain_(&context_, device_),
                                 "cuDevicePrimaryCtxRetain"));
  HLOCTS_RETURN_IF_BAD(CheckOpen(driver_->cuCtxSetCurrent_(context_), "cuCtxSetCurrent"));
  HLOCTS_RETURN_IF_BAD(
      CheckOpen(driver_->cuStreamCreate_(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate"));
  for (CUevent* event : {&started_, &stopped_}) {
    HLOCTS_RETURN_IF_BAD(
        CheckOpen(driver_->cuEventCreate_(event, CU_EVENT_BLOCKING_SYNC), "cuEventCreate"));
  }
  return HLOCTS_CUDA_OK;
}

// Steady state asks the system for no memory, and gives back what is more than its share.
hlocts_cuda_status Runtime::OpenPool() {
  int pools = 0;
  driver_->cuDeviceGetAttribute_(&pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, device_);
  if (pools == 0) {
    return Fail(HLOCTS_CUDA_UNAVAILABLE,
                description_ + ": it has no memory pools (some virtual GPUs have none)");
  }
  size_t free = 0, total = 0;
  HLOCTS_RETURN_IF_BAD(CheckOpen(driver_->cuMemGetInfo_(&free, &total), "cuMemGetInfo"));
  HLOCTS_RETURN_IF_BAD(
      CheckOpen(driver_->cuDeviceGetDefaultMemPool_(&pool_, device_), "cuDeviceGetDefaultMemPool"));
  workers_max_ = static_cast<int32_t>(1 + free / kBytesOfWorker);
  cuuint64_t kept = total / kPoolShare;
  return CheckOpen(driver_->cuMemPoolSetAttribute_(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept),
                   "the pool");
}

// Functions are looked up when they are first launched: the driver loads each then.
hlocts_cuda_status Runtime::LoadGeneric() {
  char log[2048] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof(log))};
  const CUresult loaded =
      driver_->cuModuleLoadDataEx_(&carried_, hlocts_cuda_generic_image, 2, options, values);
  const std::string what = std::string("the precompiled kernels: ") + log;
  HLOCTS_RETURN_IF_BAD(CheckOpen(loaded, what.c_str()));
  generic_.assign(std::size(hl::kKernelNames), nullptr);
  return CheckOpen(driver_->cuModuleGetFunction_(&condition_, carried_, "GraphCondition"),
                   "GraphCondition");
}

}  // namespace hlocts::cuda
