// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/run/cuda_device.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "backends/engine/cuda/base/run.h"

namespace hlocts::cuda {
namespace {

constexpr int kExitLost = 70;

std::string LibraryPath() {
  if (const char* path = std::getenv("HLOCTS_CUDA_LIBRARY")) return path;
  char program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof(program));
  const std::string folder(program, length > 0 ? static_cast<size_t>(length) : 0);
  return folder.substr(0, folder.rfind('/') + 1) + "libhlocts_cuda.so";
}

// Nothing that this process runs later could be trusted. The engine lives in a worker: its end is
// the verdict on the module, and the next module gets another worker.
[[noreturn]] void EndProcess(const char* reason) {
  const std::string instruction = CurrentInstruction();
  std::fprintf(stderr, "the CUDA device is lost%s%s: %s\n", instruction.empty() ? "" : " at %",
               instruction.c_str(), reason);
  std::fflush(stderr);
  std::_Exit(kExitLost);
}

absl::Status ToStatus(const hlocts_cuda_api& api, hlocts_cuda_status status) {
  switch (status) {
    case HLOCTS_CUDA_OK:
      return absl::OkStatus();
    case HLOCTS_CUDA_UNAVAILABLE:
      return absl::UnavailableError(api.last_error());
    case HLOCTS_CUDA_OUT_OF_MEMORY:
      return absl::ResourceExhaustedError(api.last_error());
    case HLOCTS_CUDA_COMPILE_ERROR:
      return absl::InternalError(absl::StrCat("NVRTC: ", api.last_error()));
    case HLOCTS_CUDA_LOST:
      EndProcess(api.last_error());
    case HLOCTS_CUDA_FAILED:
    case HLOCTS_CUDA_DECLINED:
      break;
  }
  return absl::InternalError(absl::StrCat("the device failed in ", api.last_error()));
}

class CudaDevice : public Device {
 public:
  CudaDevice(const hlocts_cuda_api& api, int32_t index, bool fast_math)
      : api_(api), index_(index), fast_math_(fast_math) {}

  absl::StatusOr<void*> Allocate(int64_t bytes) override {
    void* data = nullptr;
    HLOCTS_RETURN_IF_ERROR(ToStatus(api_, Here().allocate(bytes, &data)));
    return data;
  }
  void Release(void* data) override { Here().release(data); }
  absl::Status Upload(void* to, const void* from, int64_t bytes) override {
    return ToStatus(api_, Here().upload(to, from, bytes));
  }
  absl::Status Download(void* to, const void* from, int64_t bytes) override {
    return ToStatus(api_, Here().download(to, from, bytes));
  }
  absl::Status Copy(void* to, const void* from, int64_t bytes) override {
    return ToStatus(api_, Here().copy(to, from, bytes));
  }
  absl::Status Launch(hl::Kernel kernel, const void* arguments, int64_t, int64_t count,
                      int64_t code) override {
    return ToStatus(api_, Here().launch(kernel, code, arguments, count));
  }
  absl::StatusOr<int64_t> Compile(hl::Kernel, const std::string& source) override {
    int64_t code = -1;
    HLOCTS_RETURN_IF_ERROR(ToStatus(api_, Here().load(source.c_str(), fast_math_ ? 1 : 0, &code)));
    return code;
  }
  absl::Status Synchronize() override { return ToStatus(api_, Here().synchronize()); }
  absl::Status StartClock() override {
    double unused = 0;
    return ToStatus(api_, Here().clock(0, &unused));
  }
  absl::StatusOr<double> StopClock() override {
    double seconds = 0;
    HLOCTS_RETURN_IF_ERROR(ToStatus(api_, Here().clock(1, &seconds)));
    return seconds;
  }
  absl::StatusOr<bool> CallLibrary(Library library, const void* plan, int64_t bytes,
                                   const void* const* in, void* const* out) override {
    const hlocts_cuda_status status =
        Here().library(static_cast<int32_t>(library), plan, bytes, in, out);
    if (status == HLOCTS_CUDA_DECLINED) return false;
    HLOCTS_RETURN_IF_ERROR(ToStatus(api_, status));
    return true;
  }
  absl::StatusOr<bool> Keeps(Library library, const void* plan, int64_t bytes,
                             const void* const* in, void* const* out) override {
    const hlocts_cuda_status status =
        Here().keeps(static_cast<int32_t>(library), plan, bytes, in, out);
    if (status == HLOCTS_CUDA_DECLINED) return false;
    if (status == HLOCTS_CUDA_FAILED) return Device::Keeps(library, plan, bytes, in, out);
    HLOCTS_RETURN_IF_ERROR(ToStatus(api_, status));
    return true;
  }
  absl::StatusOr<int64_t> Keep(const LaunchGraph& graph) override {
    std::vector<hlocts_cuda_launch> launches;
    for (const KeptLaunch& l : graph.launches) {
      const int32_t kernel = l.kind == Kept::kKernel ? static_cast<int32_t>(l.kernel)
                             : l.kind == Kept::kCopy ? HLOCTS_CUDA_KEPT_COPY
                                                     : HLOCTS_CUDA_KEPT_PRODUCT;
      launches.push_back({kernel, 0, l.code, l.count, l.arguments.data(), l.to, l.from, l.second});
    }
    int64_t number = -1;
    HLOCTS_RETURN_IF_ERROR(
        ToStatus(api_, Here().keep(launches.data(), static_cast<int64_t>(launches.size()),
                                   graph.again, graph.left, &number)));
    return number;
  }
  absl::Status Replay(int64_t graph) override { return ToStatus(api_, Here().replay(graph)); }
  void Forget(int64_t graph) override { Here().forget(graph); }
  int32_t index() const override { return api_.collects() != 0 ? index_ : -1; }
  absl::Status Collect(const CollectiveCall& plan, const int32_t* devices, const void* const* in,
                       void* const* out) override {
    return ToStatus(api_, Here().collect(&plan, sizeof(plan), devices, in, out));
  }

 private:
  // The calling thread's calls go to this device.
  const hlocts_cuda_api& Here() const {
    api_.use(index_);
    return api_;
  }

  const hlocts_cuda_api& api_;
  const int32_t index_;
  bool fast_math_;
};

}  // namespace

absl::StatusOr<const hlocts_cuda_api*> OpenRuntime() {
  const std::string path = LibraryPath();
  if (access(path.c_str(), R_OK) != 0) {
    return absl::UnavailableError(absl::StrCat(
        path,
        " is not there: not built (cmake --build --preset release --target hlocts_cuda, "
        "which needs the CUDA toolkit 13.0 or newer when the build is configured)"));
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return absl::UnavailableError(absl::StrCat("dlopen: ", dlerror()));
  const auto get =
      reinterpret_cast<decltype(&hlocts_cuda_get_api)>(dlsym(library, "hlocts_cuda_get_api"));
  if (get == nullptr || get()->version != HLOCTS_CUDA_API_VERSION) {
    return absl::UnavailableError(absl::StrCat(path, " is of another version"));
  }
  return get();
}

absl::StatusOr<std::shared_ptr<Device>> OpenCudaDevice(bool fast_math, int32_t index) {
  HLOCTS_ASSIGN_OR_RETURN(const hlocts_cuda_api* api, OpenRuntime());
  api->use(index);
  HLOCTS_RETURN_IF_ERROR(ToStatus(*api, api->open()));
  return std::shared_ptr<Device>(std::make_shared<CudaDevice>(*api, index, fast_math));
}

int32_t CudaDeviceCount() {
  const auto api = OpenRuntime();
  return api.ok() ? (*api)->device_count() : 0;
}

int32_t WorkersMax() {
  const auto api = OpenRuntime();
  return api.ok() ? (*api)->workers_max() : 0;
}

std::string DeviceDescription() {
  const auto api = OpenRuntime();
  return api.ok() ? (*api)->description() : "";
}

}  // namespace hlocts::cuda
