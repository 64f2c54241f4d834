// The CUDA engine behind the Backend interface:
// `cuda?jit=always|never|auto&libraries=always|never|auto&tf32=true&fast_math=true`,
// and `cuda-host`, the same plan and kernels run by this machine's processor.
#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "backends/cuda/cuda_device.h"
#include "backends/cuda/executable.h"
#include "backends/plan/custom_call.h"
#include "backends/plan/request.h"
#include "spec/infer/verifier.h"

namespace hlocts {
namespace {

class CudaBackend : public Backend {
 public:
  CudaBackend(BackendInfo info, cuda::CompileOptions options, std::shared_ptr<cuda::Device> device)
      : info_(std::move(info)), options_(std::move(options)), device_(std::move(device)) {
    info_.capabilities = {"execute", "verify", "replicas", "donation", "infeed", "custom-call",
                          "our-parser"};
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
      return plan::IsDynamic(module)
                 ? cuda::MakeDynamicExecutable(module, load, options, device_)
                 : cuda::MakeStaticExecutable(module, load, options, device_);
    } catch (const std::bad_alloc&) {
      return absl::ResourceExhaustedError("out of memory while compiling");
    }
  }

 private:
  BackendInfo info_;
  cuda::CompileOptions options_;
  std::shared_ptr<cuda::Device> device_;
};

absl::StatusOr<bool> TakeBool(BackendName& name, absl::string_view key) {
  const std::string value = name.TakeOption(key);
  if (value.empty() || value == "false") return false;
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

absl::StatusOr<cuda::CompileOptions> OptionsOf(BackendName& name) {
  cuda::CompileOptions options;
  HLOCTS_ASSIGN_OR_RETURN(options.jit, TakeWhen<cuda::Jit>(name, "jit"));
  HLOCTS_ASSIGN_OR_RETURN(options.libraries, TakeWhen<cuda::Libraries>(name, "libraries"));
  HLOCTS_ASSIGN_OR_RETURN(options.tf32, TakeBool(name, "tf32"));
  HLOCTS_ASSIGN_OR_RETURN(options.fast_math, TakeBool(name, "fast_math"));
  for (std::string passes; !(passes = name.TakeOption("disable")).empty();) {
    for (absl::string_view pass : absl::StrSplit(passes, ',', absl::SkipEmpty())) {
      options.disabled.insert(std::string(pass));
    }
  }
  HLOCTS_RETURN_IF_ERROR(cuda::CheckPassNames(options.disabled));
  if (!name.options.empty()) {
    return InvalidInput("backend \"", name.text,
                        "\": expected jit, libraries, tf32, fast_math or disable, found ",
                        name.options[0].first);
  }
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeCudaBackend(BackendName name) {
  HLOCTS_ASSIGN_OR_RETURN(cuda::CompileOptions options, OptionsOf(name));
  HLOCTS_ASSIGN_OR_RETURN(std::shared_ptr<cuda::Device> device,
                          cuda::OpenCudaDevice(options.fast_math));
  BackendInfo info;
  info.name = name.text;
  info.version = absl::StrCat("0.1.0, ", cuda::DeviceDescription());
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

}  // namespace hlocts
