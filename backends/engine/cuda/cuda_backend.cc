// SPDX-License-Identifier: Apache-2.0
// The CUDA engine behind the Backend interface:
// `cuda?jit=always|never|auto&libraries=always|never|auto&graphs=always|never|auto&
// math=f32|f64&device=K&devices=N&deterministic=false&tf32=true&fast_math=true`,
// and `cuda-host`, the same plan and kernels run by this machine's processor.
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "absl/strings/numbers.h"
#include "backends/backend_list.h"
#include "backends/engine/cuda/run/cuda_device.h"
#include "backends/engine/cuda/run/executable.h"
#include "backends/engine/plan/custom_call.h"
#include "backends/engine/plan/passes.h"
#include "backends/engine/plan/request.h"
#include "spec/infer/verifier.h"

namespace hlocts::backends {
namespace {

using Opener = std::function<absl::StatusOr<std::shared_ptr<cuda::Device>>(int32_t index)>;

class CudaBackend : public Backend {
 public:
  // Replicas share up to `devices` devices, which are opened when they are first wanted.
  CudaBackend(BackendInfo info, cuda::CompileOptions options, int64_t devices, Opener open)
      : info_(std::move(info)),
        options_(std::move(options)),
        devices_max_(devices),
        open_(std::move(open)) {
    for (const char* word :
         {"execute", "verify", "replicas", "donation", "infeed", "custom-call", "our-parser"}) {
      info_.capabilities.emplace_back(word);
    }
    info_.facts = {"convert.saturate", "integer.division", "shift.saturate", "rng.xla_layout"};
  }

  BackendInfo info() override { return info_; }

  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions& load) override {
    HLOCTS_RETURN_IF_ERROR(VerifyModule(module));
    cuda::CompileOptions options = options_;
    options.memory_bytes_max = load.memory_bytes_max;
    HLOCTS_ASSIGN_OR_RETURN(options.custom_calls, plan::OpenCustomCalls(load.custom_calls));
    HLOCTS_ASSIGN_OR_RETURN(const cuda::Devices devices, DevicesFor(load));
    try {
      return plan::IsDynamic(module) ? cuda::MakeDynamicExecutable(module, load, options, devices)
                                     : cuda::MakeStaticExecutable(module, load, options, devices);
    } catch (const std::bad_alloc&) {
      return absl::ResourceExhaustedError("out of memory while compiling");
    }
  }

  absl::StatusOr<cuda::Devices> DevicesFor(const LoadOptions& load) {
    const int64_t wanted = std::min(devices_max_, load.replicas * load.partitions);
    while (static_cast<int64_t>(devices_.size()) < wanted) {
      HLOCTS_ASSIGN_OR_RETURN(auto device, open_(static_cast<int32_t>(devices_.size())));
      devices_.push_back(std::move(device));
    }
    return cuda::Devices(devices_.begin(), devices_.begin() + std::max<int64_t>(wanted, 1));
  }

 private:
  BackendInfo info_;
  cuda::CompileOptions options_;
  const int64_t devices_max_;
  Opener open_;
  cuda::Devices devices_;
};

absl::StatusOr<bool> TakeBool(BackendName& name, absl::string_view key, bool otherwise = false) {
  const std::string value = name.TakeOption(key);
  if (value.empty()) return otherwise;
  if (value == "false") return false;
  if (value == "true") return true;
  return InvalidInput("backend \"", name.text, "\": expected ", key, "=true or ", key, "=false");
}

template <class When>
absl::StatusOr<When> TakeWhen(BackendName& name, absl::string_view key) {
  const std::string value = name.TakeOption(key);
  if (value == "always") return When::kAlways;
  if (value == "never") return When::kNever;
  if (value.empty() || value == "auto") return When::kAuto;
  return InvalidInput("backend \"", name.text, "\": expected ", key, "=always, never or auto");
}

absl::StatusOr<hl::Math> TakeMath(BackendName& name) {
  const std::string value = name.TakeOption("math");
  if (value == "f64") return hl::kMathDouble;
  if (value.empty() || value == "f32") return hl::kMathSingle;
  return InvalidInput("backend \"", name.text, "\": expected math=f32 or math=f64");
}

// The device that is opened first; -1: any of them, so that workers spread over all.
absl::StatusOr<int32_t> TakeDevice(BackendName& name) {
  const std::string value = name.TakeOption("device");
  int32_t device = -1;
  if (!value.empty() && (!absl::SimpleAtoi(value, &device) || device < 0)) {
    return InvalidInput("backend \"", name.text, "\": expected device=K, K >= 0");
  }
  return device;
}

// How many devices replicas may share.
absl::StatusOr<int64_t> TakeDevices(BackendName& name, int64_t otherwise) {
  const std::string value = name.TakeOption("devices");
  int64_t devices = otherwise;
  if (!value.empty() && (!absl::SimpleAtoi(value, &devices) || devices < 1)) {
    return InvalidInput("backend \"", name.text, "\": expected devices=N, N > 0");
  }
  return devices;
}

absl::StatusOr<cuda::CompileOptions> OptionsOf(BackendName& name) {
  cuda::CompileOptions options;
  HLOCTS_ASSIGN_OR_RETURN(options.jit, TakeWhen<cuda::Jit>(name, "jit"));
  HLOCTS_ASSIGN_OR_RETURN(options.libraries, TakeWhen<cuda::Libraries>(name, "libraries"));
  HLOCTS_ASSIGN_OR_RETURN(options.graphs, TakeWhen<cuda::Graphs>(name, "graphs"));
  HLOCTS_ASSIGN_OR_RETURN(options.math, TakeMath(name));
  HLOCTS_ASSIGN_OR_RETURN(options.deterministic, TakeBool(name, "deterministic", true));
  HLOCTS_ASSIGN_OR_RETURN(options.tf32, TakeBool(name, "tf32"));
  HLOCTS_ASSIGN_OR_RETURN(options.fast_math, TakeBool(name, "fast_math"));
  for (std::string passes; !(passes = name.TakeOption("disable")).empty();) {
    HLOCTS_RETURN_IF_ERROR(plan::Disable(passes, cuda::OwnPasses(), options.disabled));
  }
  if (!name.options.empty()) {
    return InvalidInput("backend \"", name.text,
                        "\": expected jit, libraries, graphs, math, device, devices, "
                        "deterministic, tf32, fast_math or disable, found ",
                        name.options[0].first);
  }
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeCudaBackend(BackendName name) {
  HLOCTS_ASSIGN_OR_RETURN(const int64_t wanted, TakeDevices(name, INT32_MAX));
  HLOCTS_ASSIGN_OR_RETURN(int32_t first, TakeDevice(name));
  HLOCTS_ASSIGN_OR_RETURN(cuda::CompileOptions options, OptionsOf(name));
  const int32_t count = std::max(cuda::CudaDeviceCount(), 1);
  // Workers that start one after the other get different numbers of processes.
  const int32_t shared = first < 0 ? count : 1;
  if (first < 0) first = static_cast<int32_t>(getpid() % count);
  const Opener open = [fast_math = options.fast_math, first, count](int32_t index) {
    return cuda::OpenCudaDevice(fast_math, first < count ? (first + index) % count : first);
  };
  HLOCTS_RETURN_IF_ERROR(open(0).status());
  BackendInfo info;
  info.name = name.text;
  info.version = absl::StrCat("0.1.0, ", cuda::DeviceDescription());
  if (const int32_t room = cuda::WorkersMax(); room > 0) {
    info.capabilities.push_back(absl::StrCat("workers:", int64_t{room} * shared));
  }
  const int64_t devices = std::min<int64_t>(wanted, count);
  return std::unique_ptr<Backend>(
      std::make_unique<CudaBackend>(std::move(info), std::move(options), devices, open));
}

absl::StatusOr<std::unique_ptr<Backend>> MakeCudaHostBackend(BackendName name) {
  HLOCTS_RETURN_IF_ERROR(TakeDevice(name).status());
  HLOCTS_ASSIGN_OR_RETURN(const int64_t devices, TakeDevices(name, 1));
  HLOCTS_ASSIGN_OR_RETURN(cuda::CompileOptions options, OptionsOf(name));
  BackendInfo info;
  info.name = name.text;
  info.version = "0.1.0";
  const Opener open = [](int32_t index) {
    return std::shared_ptr<cuda::Device>(cuda::MakeHostDevice(index));
  };
  return std::unique_ptr<Backend>(
      std::make_unique<CudaBackend>(std::move(info), std::move(options), devices, open));
}

}  // namespace hlocts::backends
