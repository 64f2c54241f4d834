// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/runtime/runtime.h"

#include <algorithm>
#include <cstring>

#include "backends/engine/cuda/device/dispatch_names.h"
#include "backends/engine/cuda/runtime/compile.h"

namespace hlocts::cuda {
namespace {

constexpr unsigned kThreads = 128, kBlockThreads = 256;
constexpr int64_t kLoopElements = 4;
constexpr int64_t kBlocksMax = 65535 * int64_t{16};

thread_local std::string t_error;

CUdeviceptr Address(const void* data) { return reinterpret_cast<CUdeviceptr>(data); }

}  // namespace

hlocts_cuda_status Fail(hlocts_cuda_status status, std::string reason) {
  t_error = std::move(reason);
  return status;
}
const std::string& LastReason() { return t_error; }

#define HLOCTS_RETURN_IF_BAD(expression)            \
  do {                                              \
    const hlocts_cuda_status status = (expression); \
    if (status != HLOCTS_CUDA_OK) return status;    \
  } while (false)

hlocts_cuda_status Runtime::Check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return HLOCTS_CUDA_OK;
  const hlocts_cuda_status status = result == CUDA_ERROR_OUT_OF_MEMORY ? HLOCTS_CUDA_OUT_OF_MEMORY
                                    : IsSticky(result)                 ? HLOCTS_CUDA_LOST
                                                                       : HLOCTS_CUDA_FAILED;
  return Fail(status, std::string(what) + ": " + ErrorText(*driver_, result));
}

const Driver* InitializedDriver() {
  std::string reason;
  const Driver* driver = OpenDriver(reason);
  if (driver == nullptr) {
    Fail(HLOCTS_CUDA_UNAVAILABLE, reason);
    return nullptr;
  }
  const CUresult initialized = driver->cuInit_(0);
  if (initialized == CUDA_SUCCESS) return driver;
  Fail(HLOCTS_CUDA_UNAVAILABLE, "no CUDA device: " + ErrorText(*driver, initialized));
  return nullptr;
}

hlocts_cuda_status Runtime::Open() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (open_) return HLOCTS_CUDA_OK;
  driver_ = InitializedDriver();
  if (driver_ == nullptr) return HLOCTS_CUDA_UNAVAILABLE;
  int count = 0;
  if (driver_->cuDeviceGetCount_(&count) != CUDA_SUCCESS || count <= index_) {
    return Fail(HLOCTS_CUDA_UNAVAILABLE, "no CUDA device");
  }
  HLOCTS_RETURN_IF_BAD(OpenDevice());
  HLOCTS_RETURN_IF_BAD(LoadGeneric());
  open_ = true;
  return HLOCTS_CUDA_OK;
}

hlocts_cuda_status Runtime::OpenDevice() {
  HLOCTS_RETURN_IF_BAD(Check(driver_->cuDeviceGet_(&device_, index_), "cuDeviceGet"));
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
    return Fail(HLOCTS_CUDA_UNAVAILABLE,
                description_ + ": expected compute capability 8.0 or more");
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
  return Check(driver_->cuModuleGetFunction_(&condition_, module, "GraphCondition"),
               "GraphCondition");
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
  return Check(staging_.Download(to, Address(from), bytes),
               "a kernel, or the download of its results");
}

hlocts_cuda_status Runtime::Copy(void* to, const void* from, int64_t bytes) {
  if (bytes <= 0) return HLOCTS_CUDA_OK;
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  return Check(
      driver_->cuMemcpyDtoDAsync_(Address(to), Address(from), static_cast<size_t>(bytes), stream_),
      "a copy");
}

GraphStep Runtime::StepOf(const hlocts_cuda_launch& launch) const {
  GraphStep step;
  step.count = launch.count;
  step.to = launch.to;
  step.from = launch.from;
  if (launch.kernel < 0) return step;
  step.function = launch.code >= 0 ? compiled_[launch.code] : generic_[launch.kernel];
  step.arguments = launch.arguments;
  // Kernels stride over what the grid leaves.
  const bool is_blocks = launch.kernel >= hl::kBlockKernels && launch.kernel < hl::kPlainKernels;
  step.threads = is_blocks ? kBlockThreads : kThreads;
  // Loops written out take several elements a thread.
  const bool is_written_loop = launch.code >= 0 && launch.kernel == hl::kLoopKernel;
  const int64_t each = is_written_loop ? step.threads * kLoopElements : step.threads;
  const int64_t blocks = is_blocks ? launch.count : (launch.count + each - 1) / each;
  step.blocks = static_cast<unsigned>(std::min(kBlocksMax, blocks));
  return step;
}

hlocts_cuda_status Runtime::Launch(int32_t kernel, int64_t code, const void* arguments,
                                   int64_t count) {
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  const GraphStep step = StepOf({kernel, 0, code, count, arguments, nullptr, nullptr});
  long long threads = count;
  void* parameters[] = {const_cast<void*>(arguments), &threads};
  return Check(driver_->cuLaunchKernel_(step.function, step.blocks, 1, 1, step.threads, 1, 1, 0,
                                        stream_, parameters, nullptr),
               hl::kKernelNames[kernel]);
}

hlocts_cuda_status Runtime::Keep(const hlocts_cuda_launch* launches, int64_t count,
                                 const void* again, void* left, int64_t* number) {
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  std::vector<GraphStep> steps;
  for (int64_t l = 0; l < count; ++l) steps.push_back(StepOf(launches[l]));
  Graph graph;
  const GraphCondition condition = {condition_, Address(again), Address(left)};
  const CUresult built = BuildGraph(*driver_, context_, steps, condition, graph);
  if (built != CUDA_SUCCESS) {
    ReleaseGraph(*driver_, graph);
    return Check(built, "a graph");
  }
  *number = next_graph_++;
  graphs_[*number] = graph;
  return HLOCTS_CUDA_OK;
}

hlocts_cuda_status Runtime::Replay(int64_t graph) {
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  return Check(driver_->cuGraphLaunch_(graphs_.at(graph).executable, stream_), "a graph");
}

void Runtime::Forget(int64_t graph) {
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  ReleaseGraph(*driver_, graphs_.at(graph));
  graphs_.erase(graph);
}

CUresult Runtime::LoadCode(const Compiled& compiled, CUfunction& function) {
  CUmodule module;
  const CUresult loaded = driver_->cuModuleLoadData_(&module, compiled.cubin.data());
  if (loaded != CUDA_SUCCESS) return loaded;
  return driver_->cuModuleGetFunction_(&function, module, "hl_kernel");
}

hlocts_cuda_status Runtime::Load(const char* source, bool fast_math, int64_t* code) {
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  const std::string name = (fast_math ? "fast" : "exact") + std::string(source);
  const auto known = known_.find(name);
  if (known != known_.end()) {
    *code = known->second;
    return HLOCTS_CUDA_OK;
  }
  Compiled compiled = CompileCached(source, architecture_, fast_math);
  CUfunction function = nullptr;
  CUresult loaded = compiled.ok ? LoadCode(compiled, function) : CUDA_SUCCESS;
  if (loaded != CUDA_SUCCESS && compiled.is_from_disk) {
    // What lay on the disk is damaged, or of another time.
    compiled = CompileSource(source, architecture_, fast_math);
    loaded = compiled.ok ? LoadCode(compiled, function) : CUDA_SUCCESS;
  }
  if (!compiled.ok) {
    return Fail(compiled.available ? HLOCTS_CUDA_COMPILE_ERROR : HLOCTS_CUDA_UNAVAILABLE,
                compiled.log);
  }
  if (loaded != CUDA_SUCCESS) return Check(loaded, "a compiled kernel");
  *code = known_[name] = static_cast<int64_t>(compiled_.size());
  compiled_.push_back(function);
  return HLOCTS_CUDA_OK;
}

hlocts_cuda_status Runtime::CallLibrary(Library library, const void* plan, int64_t bytes,
                                        const void* const* in, void* const* out) {
  std::lock_guard<std::mutex> lock(mutex_);
  driver_->cuCtxSetCurrent_(context_);
  const LibraryContext context = library_context();
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

}  // namespace hlocts::cuda
