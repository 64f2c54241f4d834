// SPDX-License-Identifier: Apache-2.0
// Implements Device with a GPU.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/engine/cuda/run/cuda_device.h"
#include "backends/engine/cuda/runtime/gpu.h"
#include "backends/engine/cuda/runtime/library.h"
#include "backends/engine/cuda/runtime/nvrtc.h"

namespace hlocts::cuda {
namespace {

constexpr unsigned kThreads = 128, kBlockThreads = 256;
constexpr int64_t kLoopElements = 4;
// The value of new bytes under $HLOCTS_CUDA_POISON. Such an f32 or f64 is a number close to 0.
constexpr unsigned char kPoison = 0xa5;
constexpr int64_t kBlocksMax = 65535 * int64_t{16};
constexpr size_t kKernelsLoadedMax = 2048;

CUdeviceptr Address(const void* data) { return reinterpret_cast<CUdeviceptr>(data); }

// Each public function locks the mutex, so only one call is executed at a time.
class GpuDevice : public Device {
 public:
  explicit GpuDevice(Gpu gpu) : gpu_(std::move(gpu)), driver_(*gpu_.driver) {}
  const Gpu& gpu() const { return gpu_; }

  absl::StatusOr<void*> Allocate(int64_t bytes) override;
  void Release(void* data) override {
    const DeviceLock guard(*this);
    driver_.cuMemFreeAsync_(Address(data), gpu_.stream);
  }
  // `from` may be changed after the call, because the driver has read pageable memory by then.
  absl::Status Upload(void* to, const void* from, int64_t bytes) override {
    if (bytes <= 0) return absl::OkStatus();
    const DeviceLock guard(*this);
    return gpu_.Check(
        driver_.cuMemcpyHtoDAsync_(Address(to), from, static_cast<size_t>(bytes), gpu_.stream),
        "an upload");
  }
  absl::Status Download(void* to, const void* from, int64_t bytes) override {
    if (bytes <= 0) return absl::OkStatus();
    const DeviceLock guard(*this);
    HLOCTS_RETURN_IF_ERROR(gpu_.CheckWait(
        driver_.cuMemcpyDtoHAsync_(to, Address(from), static_cast<size_t>(bytes), gpu_.stream),
        "a kernel, or the download of its results"));
    return gpu_.Wait("a kernel, or the download of its results");
  }
  absl::Status Copy(void* to, const void* from, int64_t bytes) override {
    if (bytes <= 0) return absl::OkStatus();
    const DeviceLock guard(*this);
    return gpu_.Check(driver_.cuMemcpyDtoDAsync_(Address(to), Address(from),
                                                 static_cast<size_t>(bytes), gpu_.stream),
                      "a copy");
  }
  absl::Status Launch(hl::Kernel kernel, const void* arguments, int64_t count,
                      int64_t code) override;
  absl::StatusOr<int64_t> Compile(hl::Kernel kernel, const std::string& source,
                                  bool fast_math) override;
  absl::Status Synchronize() override {
    const DeviceLock guard(*this);
    return gpu_.Wait("a kernel");
  }
  absl::Status StartClock() override {
    const DeviceLock guard(*this);
    return gpu_.Check(driver_.cuEventRecord_(gpu_.started, gpu_.stream), "an event");
  }
  absl::StatusOr<double> StopClock() override;
  absl::StatusOr<bool> CallLibrary(const LibraryPlan& plan, const void* const* in,
                                   void* const* out) override {
    const DeviceLock guard(*this);
    return std::visit([&](const auto& one) { return Call(gpu_, one, in, out); }, plan);
  }

 private:
  struct DeviceLock {
    explicit DeviceLock(GpuDevice& device) : lock(device.mutex_) {
      device.driver_.cuCtxSetCurrent_(device.gpu_.context);
    }
    std::lock_guard<std::mutex> lock;
  };
  // A kernel compiled at run time. `function` is null while the kernel is not loaded.
  struct Written {
    const std::string* source;
    bool fast_math;
    CUmodule module = nullptr;
    CUfunction function = nullptr;
  };
  absl::Status Load(Written& written);
  absl::StatusOr<CUfunction> FunctionOf(hl::Kernel kernel, int64_t code);
  absl::Status Plant();

  const Gpu gpu_;
  const Driver& driver_;
  std::mutex mutex_;
  const bool poisons_ = IsSet("HLOCTS_CUDA_POISON");
  bool plants_ = std::getenv("HLOCTS_CUDA_PLANT") != nullptr;
  CUfunction generic_[std::size(hl::kKernelNames)] = {};  // set at each kernel's first launch
  std::map<std::pair<std::string, bool>, int64_t> known_;
  std::vector<Written> written_;
  size_t loaded_ = 0;
};

// If memory is exhausted, returns the pool's unused memory to the device and tries again.
absl::StatusOr<void*> GpuDevice::Allocate(int64_t bytes) {
  const DeviceLock guard(*this);
  CUdeviceptr address = 0;
  const size_t size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
  CUresult result = driver_.cuMemAllocAsync_(&address, size, gpu_.stream);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    HLOCTS_RETURN_IF_ERROR(gpu_.Wait("a kernel"));
    driver_.cuMemPoolTrimTo_(gpu_.pool, 0);
    result = driver_.cuMemAllocAsync_(&address, size, gpu_.stream);
  }
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    size_t free = 0, total = 0;
    driver_.cuMemGetInfo_(&free, &total);
    return gpu_.Check(result,
                      absl::StrCat(size, " bytes of memory (", free, " of ", total, " are free)"));
  }
  HLOCTS_RETURN_IF_ERROR(gpu_.Check(result, "memory"));
  if (poisons_) {
    HLOCTS_RETURN_IF_ERROR(
        gpu_.Check(driver_.cuMemsetD8Async_(address, kPoison, size, gpu_.stream), "poison"));
  }
  return reinterpret_cast<void*>(address);
}

absl::Status GpuDevice::Load(Written& written) {
  if (loaded_ >= kKernelsLoadedMax) {
    // A kernel that is needed later is loaded again at its next launch.
    HLOCTS_RETURN_IF_ERROR(gpu_.Wait("a kernel"));
    for (Written& other : written_) {
      if (other.function != nullptr) driver_.cuModuleUnload_(other.module);
      other.function = nullptr;
    }
    loaded_ = 0;
  }
  HLOCTS_ASSIGN_OR_RETURN(const CompiledKernel compiled,
                          CompileSource(*written.source, gpu_.architecture, written.fast_math));
  HLOCTS_RETURN_IF_ERROR(gpu_.Check(
      driver_.cuModuleLoadDataEx_(&written.module, compiled.image.data(), 0, nullptr, nullptr),
      "a compiled kernel"));
  ++loaded_;
  return gpu_.Check(driver_.cuModuleGetFunction_(&written.function, written.module, "hl_kernel"),
                    "a compiled kernel");
}

absl::StatusOr<int64_t> GpuDevice::Compile(hl::Kernel, const std::string& source, bool fast_math) {
  const DeviceLock guard(*this);
  const int64_t number = static_cast<int64_t>(written_.size());
  const auto [known, is_new] = known_.emplace(std::pair(source, fast_math), number);
  if (!is_new) return known->second;
  Written written = {&known->first.first, fast_math};
  if (absl::Status loaded = Load(written); !loaded.ok()) {
    known_.erase(known);
    return loaded;
  }
  written_.push_back(written);
  return number;
}

absl::StatusOr<CUfunction> GpuDevice::FunctionOf(hl::Kernel kernel, int64_t code) {
  if (code >= 0) {
    Written& written = written_[static_cast<size_t>(code)];
    if (written.function == nullptr) HLOCTS_RETURN_IF_ERROR(Load(written));
    return written.function;
  }
  CUfunction& carried = generic_[kernel];
  if (carried == nullptr) {
    const std::string name = absl::StrCat("Generic", hl::kKernelNames[kernel]);
    HLOCTS_RETURN_IF_ERROR(
        gpu_.Check(driver_.cuModuleGetFunction_(&carried, gpu_.carried, name.c_str()), name));
  }
  return carried;
}

// Launches at most kBlocksMax blocks. A thread may compute several elements, which are the grid's
// size apart. A thread of an emitted loop computes kLoopElements elements at a time.
absl::Status GpuDevice::Launch(hl::Kernel kernel, const void* arguments, int64_t count,
                               int64_t code) {
  const DeviceLock guard(*this);
  if (plants_) HLOCTS_RETURN_IF_ERROR(Plant());
  HLOCTS_ASSIGN_OR_RETURN(const CUfunction function, FunctionOf(kernel, code));
  const bool is_blocks = kernel >= hl::kBlockKernels && kernel < hl::kPlainKernels;
  const unsigned threads = is_blocks ? kBlockThreads : kThreads;
  const int64_t each =
      is_blocks ? 1 : threads * (code >= 0 && kernel == hl::kLoopKernel ? kLoopElements : 1);
  const auto blocks = static_cast<unsigned>(std::min(kBlocksMax, (count + each - 1) / each));
  long long total = count;
  void* parameters[] = {const_cast<void*>(arguments), &total};
  HLOCTS_RETURN_IF_ERROR(gpu_.Check(driver_.cuLaunchKernel_(function, blocks, 1, 1, threads, 1, 1,
                                                            0, gpu_.stream, parameters, nullptr),
                                    hl::kKernelNames[kernel]));
  if (!gpu_.waits) return absl::OkStatus();
  return gpu_.Wait(absl::StrCat("the kernel ", hl::kKernelNames[kernel],
                                code < 0 ? ", interpreted" : ", written out as number ",
                                code < 0 ? "" : absl::StrCat(code)));
}

// Writes once out of bounds of an array, under $HLOCTS_CUDA_PLANT. A sanitizer must report it.
absl::Status GpuDevice::Plant() {
  plants_ = false;
  CUfunction function = nullptr;
  CUdeviceptr array = 0;
  long long bytes = kThreads;
  HLOCTS_RETURN_IF_ERROR(
      gpu_.Check(driver_.cuModuleGetFunction_(&function, gpu_.carried, "OutOfBoundsWrite"),
                 "OutOfBoundsWrite"));
  HLOCTS_RETURN_IF_ERROR(gpu_.Check(
      driver_.cuMemAllocAsync_(&array, static_cast<size_t>(bytes), gpu_.stream), "memory"));
  void* parameters[] = {&array, &bytes};
  HLOCTS_RETURN_IF_ERROR(gpu_.Check(driver_.cuLaunchKernel_(function, 1, 1, 1, kThreads, 1, 1, 0,
                                                            gpu_.stream, parameters, nullptr),
                                    "OutOfBoundsWrite"));
  return gpu_.Check(driver_.cuMemFreeAsync_(array, gpu_.stream), "memory");
}

absl::StatusOr<double> GpuDevice::StopClock() {
  const DeviceLock guard(*this);
  HLOCTS_RETURN_IF_ERROR(gpu_.Check(driver_.cuEventRecord_(gpu_.stopped, gpu_.stream), "an event"));
  HLOCTS_RETURN_IF_ERROR(gpu_.CheckWait(driver_.cuEventSynchronize_(gpu_.stopped), "a kernel"));
  float milliseconds = 0;
  HLOCTS_RETURN_IF_ERROR(gpu_.Check(
      driver_.cuEventElapsedTime_(&milliseconds, gpu_.started, gpu_.stopped), "an event"));
  return static_cast<double>(milliseconds) * 1e-3;
}

// The GPU of this process. It is never destroyed, because the driver may be unloaded before it.
struct Opened {
  std::mutex mutex;
  int32_t index = -1;
  std::shared_ptr<GpuDevice> device;
};
Opened& OpenDevices() {
  static Opened* opened = new Opened();
  return *opened;
}

}  // namespace

absl::StatusOr<std::shared_ptr<Device>> OpenCudaDevice(int32_t index) {
  Opened& opened = OpenDevices();
  std::lock_guard<std::mutex> lock(opened.mutex);
  if (opened.device == nullptr) {
    HLOCTS_ASSIGN_OR_RETURN(Gpu gpu, OpenGpu(index));
    opened.device = std::make_shared<GpuDevice>(std::move(gpu));
    opened.index = index;
  }
  if (opened.index == index) return std::shared_ptr<Device>(opened.device);
  return absl::UnavailableError(
      absl::StrCat("this process has opened CUDA device ", opened.index, ", not ", index));
}

int32_t CudaDeviceCount() {
  const auto driver = InitializedDriver();
  int count = 0;
  return driver.ok() && (*driver)->cuDeviceGetCount_(&count) == CUDA_SUCCESS ? count : 0;
}

std::string DeviceDescription() { return OpenDevices().device->gpu().description; }
int32_t WorkersMax() { return OpenDevices().device->gpu().workers_max; }

absl::StatusOr<std::string> CompilerLog(const std::string& source, const std::string& architecture,
                                        bool fast_math) {
  HLOCTS_ASSIGN_OR_RETURN(const CompiledKernel kernel,
                          CompileSource(source, architecture, fast_math));
  return kernel.log;
}

}  // namespace hlocts::cuda
