// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/runtime/runtime.h"

#include <algorithm>
#include <cstring>

#include "backends/engine/cuda/device/dispatch_names.h"

namespace hlocts::cuda {
namespace {

constexpr unsigned kThreads = 128, kBlockThreads = 256;
constexpr int64_t kLoopElements = 4;
// What nobody wrote, where $HLOCTS_CUDA_POISON is set: as f32 and f64 small odd numbers.
constexpr unsigned char kPoison = 0xa5;
constexpr int64_t kBlocksMax = 65535 * int64_t{16};

thread_local std::string t_error;

}  // namespace

hlocts_cuda_status Fail(hlocts_cuda_status status, std::string reason) {
  t_error = std::move(reason);
  return status;
}
const std::string& LastReason() { return t_error; }

hlocts_cuda_status Runtime::Check(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return HLOCTS_CUDA_OK;
  const hlocts_cuda_status status = result == CUDA_ERROR_OUT_OF_MEMORY ? HLOCTS_CUDA_OUT_OF_MEMORY
                                    : IsSticky(result)                 ? HLOCTS_CUDA_LOST
                                                                       : HLOCTS_CUDA_FAILED;
  return Fail(status, what + ": " + ErrorText(*driver_, result));
}

hlocts_cuda_status Runtime::CheckWait(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return HLOCTS_CUDA_OK;
  const hlocts_cuda_status status =
      result == CUDA_ERROR_OUT_OF_MEMORY ? HLOCTS_CUDA_OUT_OF_MEMORY : HLOCTS_CUDA_LOST;
  return Fail(status, std::string(what) + ": " + ErrorText(*driver_, result) +
                          (waits_ ? "" : " (HLOCTS_CUDA_SYNC=1 names it)"));
}

// Short of memory, what the pool holds and nobody uses goes back to the device first.
hlocts_cuda_status Runtime::Allocate(int64_t bytes, void** data) {
  const Turn turn(*this);
  CUdeviceptr address = 0;
  const size_t size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
  CUresult result = driver_->cuMemAllocAsync_(&address, size, stream_);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    HLOCTS_RETURN_IF_BAD(CheckWait(driver_->cuStreamSynchronize_(stream_), "a kernel"));
    driver_->cuMemPoolTrimTo_(pool_, 0);
    result = driver_->cuMemAllocAsync_(&address, size, stream_);
  }
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    size_t free = 0, total = 0;
    driver_->cuMemGetInfo_(&free, &total);
    return Check(result, std::to_string(size) + " bytes of memory, where " + std::to_string(free) +
                             " of " + std::to_string(total) + " are free");
  }
  HLOCTS_RETURN_IF_BAD(Check(result, "memory"));
  if (poisons_) {
    HLOCTS_RETURN_IF_BAD(
        Check(driver_->cuMemsetD8Async_(address, kPoison, size, stream_), "poison"));
  }
  *data = reinterpret_cast<void*>(address);
  return HLOCTS_CUDA_OK;
}

void Runtime::Release(void* data) {
  const Turn turn(*this);
  driver_->cuMemFreeAsync_(Address(data), stream_);
}

hlocts_cuda_status Runtime::Upload(void* to, const void* from, int64_t bytes) {
  const Turn turn(*this);
  return Check(staging_.Upload(Address(to), from, bytes), "an upload");
}

hlocts_cuda_status Runtime::Download(void* to, const void* from, int64_t bytes) {
  const Turn turn(*this);
  return CheckWait(staging_.Download(to, Address(from), bytes),
                   "a kernel, or the download of its results");
}

hlocts_cuda_status Runtime::Copy(void* to, const void* from, int64_t bytes) {
  if (bytes <= 0) return HLOCTS_CUDA_OK;
  const Turn turn(*this);
  return Check(
      driver_->cuMemcpyDtoDAsync_(Address(to), Address(from), static_cast<size_t>(bytes), stream_),
      "a copy");
}

hlocts_cuda_status Runtime::CheckStored(const StoreResult& result) {
  if (result.ok) return HLOCTS_CUDA_OK;
  if (result.compiled) return Check(result.loaded, "a compiled kernel");
  return Fail(result.available ? HLOCTS_CUDA_COMPILE_ERROR : HLOCTS_CUDA_UNAVAILABLE, result.log);
}

hlocts_cuda_status Runtime::FunctionOf(int32_t kernel, int64_t code, bool pinned,
                                       CUfunction* function) {
  if (code >= 0) return CheckStored(store_.Function(code, pinned, function));
  CUfunction& carried = generic_[static_cast<size_t>(kernel)];
  if (carried == nullptr) {
    const std::string name = std::string("Generic") + hl::kKernelNames[kernel];
    HLOCTS_RETURN_IF_BAD(
        Check(driver_->cuModuleGetFunction_(&carried, carried_, name.c_str()), name));
  }
  *function = carried;
  return HLOCTS_CUDA_OK;
}

hlocts_cuda_status Runtime::StepOf(const hlocts_cuda_launch& launch, bool pinned, GraphStep* step) {
  step->count = launch.count;
  step->to = launch.to;
  step->from = launch.from;
  if (launch.kernel < 0) return HLOCTS_CUDA_OK;
  step->arguments = launch.arguments;
  // Kernels stride over what the grid leaves.
  const bool is_blocks = launch.kernel >= hl::kBlockKernels && launch.kernel < hl::kPlainKernels;
  step->threads = is_blocks ? kBlockThreads : kThreads;
  // Loops written out take several elements a thread.
  const bool is_written_loop = launch.code >= 0 && launch.kernel == hl::kLoopKernel;
  const int64_t each = is_written_loop ? step->threads * kLoopElements : step->threads;
  const int64_t blocks = is_blocks ? launch.count : (launch.count + each - 1) / each;
  step->blocks = static_cast<unsigned>(std::min(kBlocksMax, blocks));
  return FunctionOf(launch.kernel, launch.code, pinned, &step->function);
}

hlocts_cuda_status Runtime::Launch(int32_t kernel, int64_t code, const void* arguments,
                                   int64_t count) {
  const Turn turn(*this);
  if (plants_) HLOCTS_RETURN_IF_BAD(Plant());
  GraphStep step;
  HLOCTS_RETURN_IF_BAD(StepOf({kernel, 0, code, count, arguments, nullptr, nullptr, nullptr},
                              /*pinned=*/false, &step));
  long long threads = count;
  void* parameters[] = {const_cast<void*>(arguments), &threads};
  HLOCTS_RETURN_IF_BAD(
      Check(driver_->cuLaunchKernel_(step.function, step.blocks, 1, 1, step.threads, 1, 1, 0,
                                     stream_, parameters, nullptr),
            hl::kKernelNames[kernel]));
  return AfterLaunch(kernel, code);
}

hlocts_cuda_status Runtime::Plant() {
  plants_ = false;
  CUfunction function = nullptr;
  CUdeviceptr array = 0;
  long long bytes = kThreads;
  HLOCTS_RETURN_IF_BAD(
      Check(driver_->cuModuleGetFunction_(&function, carried_, "PlantedWrite"), "PlantedWrite"));
  HLOCTS_RETURN_IF_BAD(
      Check(driver_->cuMemAllocAsync_(&array, static_cast<size_t>(bytes), stream_), "memory"));
  void* parameters[] = {&array, &bytes};
  HLOCTS_RETURN_IF_BAD(Check(
      driver_->cuLaunchKernel_(function, 1, 1, 1, kThreads, 1, 1, 0, stream_, parameters, nullptr),
      "PlantedWrite"));
  return Check(driver_->cuMemFreeAsync_(array, stream_), "memory");
}

hlocts_cuda_status Runtime::AfterLaunch(int32_t kernel, int64_t code) {
  if (!waits_) return HLOCTS_CUDA_OK;
  const std::string name =
      std::string("the kernel ") + hl::kKernelNames[kernel] +
      (code >= 0 ? ", written out as number " + std::to_string(code) : ", interpreted");
  return CheckWait(driver_->cuStreamSynchronize_(stream_), name.c_str());
}

hlocts_cuda_status Runtime::Load(const char* source, bool fast_math, int64_t* code) {
  const Turn turn(*this);
  return CheckStored(store_.Add(source, fast_math, code));
}

hlocts_cuda_status Runtime::CallLibrary(Library library, const void* plan, int64_t bytes,
                                        const void* const* in, void* const* out) {
  const Turn turn(*this);
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
  const Turn turn(*this);
  HLOCTS_RETURN_IF_BAD(CheckWait(driver_->cuStreamSynchronize_(stream_), "a kernel"));
  const std::string collective = CollectiveError();
  return collective.empty() ? HLOCTS_CUDA_OK : Fail(HLOCTS_CUDA_LOST, collective);
}

hlocts_cuda_status Runtime::Clock(bool stop, double* seconds) {
  const Turn turn(*this);
  HLOCTS_RETURN_IF_BAD(
      Check(driver_->cuEventRecord_(stop ? stopped_ : started_, stream_), "an event"));
  if (!stop) return HLOCTS_CUDA_OK;
  HLOCTS_RETURN_IF_BAD(CheckWait(driver_->cuEventSynchronize_(stopped_), "a kernel"));
  float milliseconds = 0;
  const CUresult result = driver_->cuEventElapsedTime_(&milliseconds, started_, stopped_);
  *seconds = static_cast<double>(milliseconds) * 1e-3;
  return Check(result, "an event");
}

}  // namespace hlocts::cuda
