// One device, one stream: memory in the order of the stream, copies through pinned memory, kernels
// precompiled or compiled here, libraries.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "backends/cuda/device/dispatch_names.h"
#include "backends/cuda/runtime/compile.h"
#include "backends/cuda/runtime/driver.h"
#include "backends/cuda/runtime/library.h"
#include "backends/cuda/runtime/runtime_api.h"
#include "backends/cuda/runtime/staging.h"

namespace hlocts::cuda {
namespace {

constexpr unsigned kThreads = 128, kBlockThreads = 256;
constexpr int64_t kLoopElements = 4;
constexpr int64_t kBlocksMax = 65535 * int64_t{16};

thread_local std::string t_error;

hlocts_cuda_status Fail(hlocts_cuda_status status, std::string reason) {
  t_error = std::move(reason);
  return status;
}

class Runtime {
 public:
  hlocts_cuda_status Open();
  const std::string& description() const { return description_; }
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

 private:
  hlocts_cuda_status OpenDevice();
  hlocts_cuda_status LoadGeneric();
  hlocts_cuda_status Check(CUresult result, const char* what);

  const Driver* driver_ = nullptr;
  std::mutex mutex_;
  bool open_ = false;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  Staging staging_;
  std::string description_, architecture_;
  std::vector<CUfunction> generic_, compiled_;
  std::map<std::string, int64_t> known_;  // source, with options, to its number
};

#define HLOCTS_RETURN_IF_BAD(expression)                        \
  do {                                                          \
    const hlocts_cuda_status status = (expression);             \
    if (status != HLOCTS_CUDA_OK) return status;                \
  } while (false)

CUdeviceptr Address(const void* data) { return reinterpret_cast<CUdeviceptr>(data); }

hlocts_cuda_status Runtime::Check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return HLOCTS_CUDA_OK;
  const hlocts_cuda_status status = result == CUDA_ERROR_OUT_OF_MEMORY ? HLOCTS_CUDA_OUT_OF_MEMORY
                                    : IsSticky(result)                 ? HLOCTS_CUDA_LOST
                                                                       : HLOCTS_CUDA_FAILED;
  return Fail(status, std::string(what) + ": " + ErrorText(*driver_, result));
}

hlocts_cuda_status Runtime::Open() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (open_) return HLOCTS_CUDA_OK;
  std::string reason;
  driver_ = OpenDriver(reason);
  if (driver_ == nullptr) return Fail(HLOCTS_CUDA_UNAVAILABLE, reason);
  const CUresult initialized = driver_->cuInit_(0);
  if (initialized != CUDA_SUCCESS) {
    return Fail(HLOCTS_CUDA_UNAVAILABLE, "no CUDA device: " + ErrorText(*driver_, initialized));
  }
  int count = 0;
  if (driver_->cuDeviceGetCount_(&count) != CUDA_SUCCESS || count == 0) {
    return Fail(HLOCTS_CUDA_UNAVAILABLE, "no CUDA device");
  }
  HLOCTS_RETURN_IF_BAD(OpenDevice());
  HLOCTS_RETURN_IF_BAD(LoadGeneric());
  open_ = true;
  return HLOCTS_CUDA_OK;
}

hlocts_cuda_status Runtime::OpenDevice() {
  HLOCTS_RETURN_IF_BAD(Check(driver_->cuDeviceGet_(&device_, 0), "cuDeviceGet"));
  char name[256] = "";
  int major = 0, minor = 0, version = 0;
  driver_->cuDeviceGetName_(name, sizeof(name), device_);
  driver_->cuDeviceGetAttribute_(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device_);
  driver_->cuDeviceGetAttribute_(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device_);
  driver_->cuDriverGetVersion_(&version);
  architecture_ = "sm_" + std::to_string(major) + std::to_string(minor);
  description_ = std::string(name) + ", " + architecture_ + ", CUDA " +
                 std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  if (major < 8) {
    return Fail(HLOCTS_CUDA_UNAVAILABLE, description_ + ": expected compute capability 8.0 or more");
  }
  HLOCTS_RETURN_IF_BAD(
      Check(driver_->cuDevicePrimaryCtxRetain_(&context_, device_), "cuDevicePrimaryCtxRetain"));
  HLOCTS_RETURN_IF_BAD(Check(driver_->cuCtxSetCurrent_(context_), "cuCtxSetCurrent"));
  HLOCTS_RETURN_IF_BAD(
      Check(driver_->cuStreamCreate_(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate"));
  // Freed memory stays with the pool: steady state asks the system for none.
  CUmemoryPool pool;
  HLOCTS_RETURN_IF_BAD(
      Check(driver_->cuDeviceGetDefaultMemPool_(&pool, device_), "cuDeviceGetDefaultMemPool"));
  cuuint64_t all = UINT64_MAX;
  HLOCTS_RETURN_IF_BAD(Check(
      driver_->cuMemPoolSetAttribute_(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all), "the pool"));
  return Check(staging_.Open(*driver_, stream_), "pinned memory");
}

hlocts_cuda_status Runtime::LoadGeneric() {
  CUmodule module;
  HLOCTS_RETURN_IF_BAD(
      Check(driver_->cuModuleLoadData_(&module, kGenericPtx), "the precompiled kernels"));
  for (const char* name : hl::kKernelNames) {
    CUfunction& function = generic_.emplace_back();
    const std::string full = std::string("Generic") + name;
    HLOCTS_RETURN_IF_BAD(
        Check(driver_->cuModuleGetFunction_(&function, module, full.c_str()), full.c_str()));
  }
  return HLOCTS_CUDA_OK;
}

hlocts_cuda_status Runtime::Allocate(int64_t bytes, void** data) {
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  CUdeviceptr address = 0;
  const size_t size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
  HLOCTS_RETURN_IF_BAD(Check(driver_->cuMemAllocAsync_(&address, size, stream_), "memory"));
  *data = reinterpret_cast<void*>(address);
  return HLOCTS_CUDA_OK;
}

void Runtime::Release(void* data) {
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  driver_->cuMemFreeAsync_(Address(data), stream_);
}

hlocts_cuda_status Runtime::Upload(void* to, const void* from, int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  return Check(staging_.Upload(Address(to), from, bytes), "an upload");
}

hlocts_cuda_status Runtime::Download(void* to, const void* from, int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  return Check(staging_.Download(to, Address(from), bytes), "a kernel, or the download of its results");
}

hlocts_cuda_status Runtime::Copy(void* to, const void* from, int64_t bytes) {
  if (bytes <= 0) return HLOCTS_CUDA_OK;
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  return Check(driver_->cuMemcpyDtoDAsync_(Address(to), Address(from), static_cast<size_t>(bytes),
                                           stream_),
               "a copy");
}

hlocts_cuda_status Runtime::Launch(int32_t kernel, int64_t code, const void* arguments,
                                   int64_t count) {
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  const CUfunction function = code >= 0 ? compiled_[code] : generic_[kernel];
  // Kernels stride over what the grid leaves.
  const bool is_blocks = kernel >= hl::kBlockKernels && kernel < hl::kPlainKernels;
  const unsigned width = is_blocks ? kBlockThreads : kThreads;
  // Loops written out take several elements a thread.
  const int64_t each = code >= 0 && kernel == hl::kLoopKernel ? width * kLoopElements : width;
  const int64_t blocks = std::min(kBlocksMax, is_blocks ? count : (count + each - 1) / each);
  long long threads = count;
  void* parameters[] = {const_cast<void*>(arguments), &threads};
  return Check(driver_->cuLaunchKernel_(function, static_cast<unsigned>(blocks), 1, 1, width, 1, 1,
                                        0, stream_, parameters, nullptr),
               hl::kKernelNames[kernel]);
}

hlocts_cuda_status Runtime::Load(const char* source, bool fast_math, int64_t* code) {
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  const auto [entry, is_new] =
      known_.emplace((fast_math ? "fast" : "exact") + std::string(source), -1);
  *code = entry->second;
  if (!is_new) return HLOCTS_CUDA_OK;
  const Compiled compiled = CompileCached(source, architecture_, fast_math);
  CUmodule module;
  CUfunction function;
  if (!compiled.ok) {
    known_.erase(entry);
    return Fail(compiled.available ? HLOCTS_CUDA_COMPILE_ERROR : HLOCTS_CUDA_UNAVAILABLE,
                compiled.log);
  }
  CUresult loaded = driver_->cuModuleLoadData_(&module, compiled.cubin.data());
  if (loaded == CUDA_SUCCESS) loaded = driver_->cuModuleGetFunction_(&function, module, "hl_kernel");
  if (loaded != CUDA_SUCCESS) {
    known_.erase(entry);
    return Check(loaded, "a compiled kernel");
  }
  *code = entry->second = static_cast<int64_t>(compiled_.size());
  compiled_.push_back(function);
  return HLOCTS_CUDA_OK;
}

hlocts_cuda_status Runtime::CallLibrary(Library library, const void* plan, int64_t bytes,
                                        const void* const* in, void* const* out) {
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  const LibraryContext context = {driver_, stream_};
  const auto is = [&](Library which, size_t size) {
    return library == which && bytes == static_cast<int64_t>(size);
  };
  LibraryStatus done = Declined();
  if (is(Library::kCublasLt, sizeof(GemmPlan))) {
    done = CallCublasLt(context, *static_cast<const GemmPlan*>(plan), in, out);
  } else if (is(Library::kCublas, sizeof(TriangularPlan))) {
    done = CallCublas(context, *static_cast<const TriangularPlan*>(plan), in, out);
  } else if (is(Library::kCusolver, sizeof(CholeskyPlan))) {
    done = CallCusolver(context, *static_cast<const CholeskyPlan*>(plan), out);
  } else if (is(Library::kCufft, sizeof(FftPlan))) {
    done = CallCufft(context, *static_cast<const FftPlan*>(plan), in, out);
  } else if (is(Library::kCudnn, sizeof(ConvolutionPlan))) {
    done = CallCudnn(context, *static_cast<const ConvolutionPlan*>(plan), in, out);
  } else if (is(Library::kCub, sizeof(SortPlan))) {
    done = CallCub(context, *static_cast<const SortPlan*>(plan), in, out);
  }
  return done.ok() ? HLOCTS_CUDA_OK : Fail(done.status, done.reason);
}

hlocts_cuda_status Runtime::Synchronize() {
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  return Check(driver_->cuStreamSynchronize_(stream_), "a kernel");
}

Runtime& TheRuntime() {
  static Runtime* runtime = new Runtime();  // never destroyed: the driver may be gone before
  return *runtime;
}

const char* LastError() { return t_error.c_str(); }
const char* Description() { return TheRuntime().description().c_str(); }
hlocts_cuda_status Open() { return TheRuntime().Open(); }
hlocts_cuda_status Allocate(int64_t bytes, void** data) { return TheRuntime().Allocate(bytes, data); }
void Release(void* data) { TheRuntime().Release(data); }
hlocts_cuda_status Upload(void* to, const void* from, int64_t bytes) {
  return TheRuntime().Upload(to, from, bytes);
}
hlocts_cuda_status Download(void* to, const void* from, int64_t bytes) {
  return TheRuntime().Download(to, from, bytes);
}
hlocts_cuda_status Copy(void* to, const void* from, int64_t bytes) {
  return TheRuntime().Copy(to, from, bytes);
}
hlocts_cuda_status Launch(int32_t kernel, int64_t code, const void* arguments, int64_t count) {
  return TheRuntime().Launch(kernel, code, arguments, count);
}
hlocts_cuda_status Load(const char* source, int32_t fast_math, int64_t* code) {
  return TheRuntime().Load(source, fast_math != 0, code);
}
hlocts_cuda_status Synchronize() { return TheRuntime().Synchronize(); }
hlocts_cuda_status CallLibraryOf(int32_t library, const void* plan, int64_t bytes, const void* const* in,
                                 void* const* out) {
  return TheRuntime().CallLibrary(static_cast<Library>(library), plan, bytes, in, out);
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
  static const hlocts_cuda_api api = {HLOCTS_CUDA_API_VERSION, LastError, Open,    Description,
                                      Allocate,                Release,   Upload,  Download,
                                      Copy,                    Launch,    Load,    Compile,
                                      CallLibraryOf,           Synchronize};
  return &api;
}
