// SPDX-License-Identifier: Apache-2.0
// Opens a GPU, reports which required part is missing, and ends the process when the GPU is lost.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "backends/engine/cuda/base/run.h"
#include "backends/engine/cuda/runtime/gpu.h"
#include "backends/engine/cuda/runtime/library.h"

namespace hlocts::cuda {
namespace {

constexpr int kExitLost = 70;
// A process caches at most 1/kPoolShare of device memory, because workers share the memory.
constexpr size_t kPoolShare = 16;
// The memory that each of several processes needs. About half is for the context and kernel stacks
// (2 KiB for each of 2,048 threads on 100 or more multiprocessors), the rest for arrays.
constexpr size_t kBytesOfWorker = size_t{2} << 30;
constexpr int kDriverWanted = 13000;  // CUDA 13.0: driver 580

// Ends the process, because later results could not be trusted. The engine runs in a worker: its
// exit status becomes the verdict on this module, and a new worker runs the next module.
[[noreturn]] void EndProcess(absl::string_view reason) {
  const std::string instruction = CurrentInstruction();
  std::fprintf(stderr, "the CUDA device is lost%s%s: %s\n", instruction.empty() ? "" : " at %",
               instruction.c_str(), std::string(reason).c_str());
  std::fflush(stderr);
  std::_Exit(kExitLost);
}

// Returns true if the error means that the context is lost.
bool IsSticky(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_UNKNOWN:
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_MPS_CONNECTION_FAILED:
    case CUDA_ERROR_MPS_RPC_FAILURE:
    case CUDA_ERROR_MPS_SERVER_NOT_READY:
    case CUDA_ERROR_MPS_MAX_CLIENTS_REACHED:
    case CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_EXTERNAL_DEVICE:
      return true;
    default:
      return false;
  }
}

std::string Version(int version) { return absl::StrCat(version / 1000, ".", version % 1000 / 10); }

const char* HintFor(CUresult result) {
  switch (result) {
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return " (another process holds the GPU in exclusive mode: --jobs=1, or NVIDIA MPS)";
    case CUDA_ERROR_OUT_OF_MEMORY:
      return " (use fewer --jobs, or a GPU without other processes)";
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
      return " (build with this GPU in HLOCTS_CUDA_ARCHITECTURES, or update the driver)";
    default:
      return "";
  }
}

absl::Status CheckOpen(const Gpu& gpu, CUresult result, absl::string_view what) {
  if (result == CUDA_SUCCESS) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(gpu.description, gpu.description.empty() ? "" : ": ",
                                             what, ": ", ErrorText(*gpu.driver, result),
                                             HintFor(result)));
}

absl::Status Describe(Gpu& gpu) {
  const Driver& driver = *gpu.driver;
  char name[256] = "";
  int major = 0, minor = 0, version = 0;
  driver.cuDeviceGetName_(name, sizeof(name), gpu.device);
  driver.cuDeviceGetAttribute_(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu.device);
  driver.cuDeviceGetAttribute_(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu.device);
  driver.cuDriverGetVersion_(&version);
  gpu.architecture = absl::StrCat("sm_", major, minor);
  gpu.description =
      absl::StrCat(name, ", ", gpu.architecture, ", driver for CUDA ", Version(version));
  if (major < 8) {
    return absl::UnavailableError(
        absl::StrCat(gpu.description, ": expected compute capability 8.0 or more"));
  }
  if (version < kDriverWanted) {
    return absl::UnavailableError(
        absl::StrCat(gpu.description, ": expected a driver for CUDA 13.0 or newer (580 or newer)"));
  }
  return absl::OkStatus();
}

// A waiting worker sleeps, so that the judge can run. $HLOCTS_CUDA_SPIN is for measurements.
absl::Status OpenContext(Gpu& gpu) {
  const Driver& driver = *gpu.driver;
  if (!IsSet("HLOCTS_CUDA_SPIN")) {
    driver.cuDevicePrimaryCtxSetFlags_(gpu.device, CU_CTX_SCHED_BLOCKING_SYNC);
  }
  HLOCTS_RETURN_IF_ERROR(CheckOpen(gpu, driver.cuDevicePrimaryCtxRetain_(&gpu.context, gpu.device),
                                   "cuDevicePrimaryCtxRetain"));
  HLOCTS_RETURN_IF_ERROR(CheckOpen(gpu, driver.cuCtxSetCurrent_(gpu.context), "cuCtxSetCurrent"));
  HLOCTS_RETURN_IF_ERROR(CheckOpen(gpu, driver.cuStreamCreate_(&gpu.stream, CU_STREAM_NON_BLOCKING),
                                   "cuStreamCreate"));
  for (CUevent* event : {&gpu.started, &gpu.stopped}) {
    HLOCTS_RETURN_IF_ERROR(
        CheckOpen(gpu, driver.cuEventCreate_(event, CU_EVENT_BLOCKING_SYNC), "cuEventCreate"));
  }
  return absl::OkStatus();
}

// Opens the memory pool. It keeps some freed memory, so that a process that repeats its work does
// not request memory from the driver.
absl::Status OpenPool(Gpu& gpu) {
  const Driver& driver = *gpu.driver;
  int pools = 0;
  driver.cuDeviceGetAttribute_(&pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, gpu.device);
  if (pools == 0) {
    return absl::UnavailableError(absl::StrCat(
        gpu.description, ": the device has no memory pools (some virtual GPUs have none)"));
  }
  size_t free = 0, total = 0;
  HLOCTS_RETURN_IF_ERROR(CheckOpen(gpu, driver.cuMemGetInfo_(&free, &total), "cuMemGetInfo"));
  HLOCTS_RETURN_IF_ERROR(CheckOpen(gpu, driver.cuDeviceGetDefaultMemPool_(&gpu.pool, gpu.device),
                                   "cuDeviceGetDefaultMemPool"));
  gpu.workers_max = static_cast<int32_t>(1 + free / kBytesOfWorker);
  cuuint64_t kept = total / kPoolShare;
  return CheckOpen(
      gpu, driver.cuMemPoolSetAttribute_(gpu.pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept),
      "the pool");
}

// Loads the fatbin. The driver loads each kernel when it is looked up, at its first launch.
absl::Status LoadGeneric(Gpu& gpu) {
  char log[2048] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof(log))};
  const CUresult loaded =
      gpu.driver->cuModuleLoadDataEx_(&gpu.carried, hlocts_cuda_generic_image, 2, options, values);
  return CheckOpen(gpu, loaded, absl::StrCat("the precompiled kernels: ", log));
}

}  // namespace

bool IsSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

absl::Status Gpu::Check(CUresult result, absl::string_view what) const {
  if (result == CUDA_SUCCESS) return absl::OkStatus();
  const std::string reason = absl::StrCat(what, ": ", ErrorText(*driver, result));
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return absl::ResourceExhaustedError(reason);
  if (IsSticky(result)) EndProcess(reason);
  return absl::InternalError(absl::StrCat("the device failed in ", reason));
}

absl::Status Gpu::CheckWait(CUresult result, absl::string_view what) const {
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_OUT_OF_MEMORY) return Check(result, what);
  EndProcess(absl::StrCat(what, ": ", ErrorText(*driver, result),
                          waits ? "" : " (HLOCTS_CUDA_SYNC=1 makes the message name the kernel)"));
}

absl::StatusOr<const Driver*> InitializedDriver() {
  HLOCTS_ASSIGN_OR_RETURN(const Driver* driver, OpenDriver());
  const CUresult initialized = driver->cuInit_(0);
  if (initialized == CUDA_SUCCESS) return driver;
  const bool none = initialized == CUDA_ERROR_NO_DEVICE;
  return absl::UnavailableError(
      absl::StrCat(none ? "no CUDA device: " : "cuInit: ", ErrorText(*driver, initialized)));
}

absl::StatusOr<Gpu> OpenGpu(int32_t index) {
  Gpu gpu;
  HLOCTS_ASSIGN_OR_RETURN(gpu.driver, InitializedDriver());
  int count = 0;
  HLOCTS_RETURN_IF_ERROR(CheckOpen(gpu, gpu.driver->cuDeviceGetCount_(&count), "cuDeviceGetCount"));
  if (count <= index) {
    return absl::UnavailableError(absl::StrCat("no CUDA device ", index, "; there are ", count));
  }
  // NVIDIA_TF32_OVERRIDE=1 would round f32 operands to tf32 even if a call does not permit it.
  const char* tf32 = std::getenv("NVIDIA_TF32_OVERRIDE");
  if (tf32 != nullptr && std::strcmp(tf32, "1") == 0) unsetenv("NVIDIA_TF32_OVERRIDE");
  gpu.waits = IsSet("HLOCTS_CUDA_SYNC");
  HLOCTS_RETURN_IF_ERROR(
      CheckOpen(gpu, gpu.driver->cuDeviceGet_(&gpu.device, index), "cuDeviceGet"));
  HLOCTS_RETURN_IF_ERROR(Describe(gpu));
  HLOCTS_RETURN_IF_ERROR(OpenContext(gpu));
  HLOCTS_RETURN_IF_ERROR(OpenPool(gpu));
  HLOCTS_RETURN_IF_ERROR(LoadGeneric(gpu));
  const std::string missing = LibrariesMissing();
  if (!missing.empty()) absl::StrAppend(&gpu.description, ", without ", missing);
  return gpu;
}

}  // namespace hlocts::cuda
