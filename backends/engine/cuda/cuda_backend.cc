// SPDX-License-Identifier: Apache-2.0
// The CUDA engine behind the Backend interface:
// `cuda?jit=always|never|auto&libraries=always|never|auto&math=f32|f64&device=K&
// deterministic=false&tf32=true&fast_math=true`,
// and `cuda-host`, the same plan and kernels run by this machine's processor.
#include <unistd.h>

#include <algorithm>

#include "absl/strings/numbers.h"
#include "backends/backend_list.h"
#include "backends/engine/cuda/run/cuda_device.h"
#include "backends/engine/cuda/run/executable.h"
#include "backends/engine/plan/custom_call.h"
#include "backends/engine/plan/passes.h"
#include "spec/infer/verifier.h"

namespace hlocts::backends {
namespace {

class CudaBackend : public Backend {
 public:
  CudaBackend(BackendInfo info, cuda::CompileOptions options, std::shared_ptr<cuda::Device> device)
      : info_(std::move(info)), options_(std::move(options)), device_(std::move(device)) {
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
    try {
      return cuda::MakeExecutable(module, load, options, device_);
    } catch (const std::bad_alloc&) {
      return absl::ResourceExhaustedError("out of memory while compiling");
    }
  }

 private:
  BackendInfo info_;
  cuda::CompileOptions options_;
  std::shared_ptr<cuda::Device> device_;
};

absl::StatusOr<bool> TakeBool(BackendName& name, absl::string_view key, bool otherwise = false) {
  const std::string value = name.TakeOption(key);
  if (value.empty()) return otherwise;
  if (value == "false") return false;
  if (value == "true") return true;
  return InvalidInput("backend \"", name.text, "\": expected ", key, "=true or ", key, "=false");
}

absl::StatusOr<cuda::When> TakeWhen(BackendName& name, absl::string_view key) {
  const std::string value = name.TakeOption(key);
  if (value == "always") return cuda::When::kAlways;
  if (value == "never") return cuda::When::kNever;
  if (value.empty() || value == "auto") return cuda::When::kAuto;
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

absl::StatusOr<cuda::CompileOptions> OptionsOf(BackendName& name) {
  cuda::CompileOptions options;
  HLOCTS_ASSIGN_OR_RETURN(options.jit, TakeWhen(name, "jit"));
  HLOCTS_ASSIGN_OR_RETURN(options.libraries, TakeWhen(name, "libraries"));
  HLOCTS_ASSIGN_OR_RETURN(options.math, TakeMath(name));
  HLOCTS_ASSIGN_OR_RETURN(options.deterministic, TakeBool(name, "deterministic", true));
  HLOCTS_ASSIGN_OR_RETURN(options.tf32, TakeBool(name, "tf32"));
  HLOCTS_ASSIGN_OR_RETURN(options.fast_math, TakeBool(name, "fast_math"));
  for (std::string passes; !(passes = name.TakeOption("disable")).empty();) {
    HLOCTS_RETURN_IF_ERROR(plan::Disable(passes, cuda::OwnPasses(), options.disabled));
  }
  if (!name.options.empty()) {
    return InvalidInput("backend \"", name.text,
                        "\": expected jit, libraries, math, device, deterministic, tf32, "
                        "fast_math or disable, found ",
                        name.options[0].first);
  }
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeCudaBackend(BackendName name) {
  HLOCTS_ASSIGN_OR_RETURN(int32_t index, TakeDevice(name));
  HLOCTS_ASSIGN_OR_RETURN(cuda::CompileOptions options, OptionsOf(name));
  // Workers that start one after the other get different numbers of processes.
  const int32_t count = std::max(cuda::CudaDeviceCount(), 1), shared = index < 0 ? count : 1;
  if (index < 0) index = static_cast<int32_t>(getpid() % count);
  HLOCTS_ASSIGN_OR_RETURN(std::shared_ptr<cuda::Device> device, cuda::OpenCudaDevice(index));
  BackendInfo info;
  info.name = name.text;
  info.version = absl::StrCat("0.1.0, ", cuda::DeviceDescription());
  info.capabilities.push_back(absl::StrCat("workers:", int64_t{cuda::WorkersMax()} * shared));
  return std::unique_ptr<Backend>(
      std::make_unique<CudaBackend>(std::move(info), std::move(options), std::move(device)));
}

absl::StatusOr<std::unique_ptr<Backend>> MakeCudaHostBackend(BackendName name) {
  HLOCTS_ASSIGN_OR_RETURN(cuda::CompileOptions options, OptionsOf(name));
  BackendInfo info;
  info.name = name.text;
  info.version = "0.1.0";
  return std::unique_ptr<Backend>(
      std::make_unique<CudaBackend>(std::move(info), std::move(options), cuda::MakeHostDevice()));
}

}  // namespace hlocts::backends
