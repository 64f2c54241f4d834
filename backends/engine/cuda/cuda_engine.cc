// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/cuda_engine.h"

#include <unistd.h>

#include <algorithm>

#include "absl/strings/numbers.h"
#include "backends/engine/cuda/run/cuda_device.h"
#include "backends/engine/cuda/run/executable.h"
#include "backends/engine/plan/custom_call.h"
#include "backends/engine/plan/opcodes.h"
#include "backends/engine/plan/passes.h"
#include "backends/engine/plan/received.h"
#include "spec/infer/verifier.h"

namespace hlocts::cuda {
namespace {

class CudaEngine : public pjrt::Engine {
 public:
  CudaEngine(CompileOptions options, std::shared_ptr<Device> device)
      : options_(std::move(options)), device_(std::move(device)) {}

  std::string Version() override { return version_; }
  std::string Words() override { return words_; }
  void Describe(absl::string_view device, int64_t workers) {
    absl::StrAppend(&version_, ", ", device);
    absl::StrAppend(&words_, " workers:", workers);
  }

  absl::StatusOr<std::unique_ptr<pjrt::Executable>> Load(const Module& module,
                                                         const pjrt::LoadOptions& load) override {
    HLOCTS_RETURN_IF_ERROR(VerifyModule(module));
    HLOCTS_RETURN_IF_ERROR(plan::CheckReceived(module, load.memory_bytes_max));
    CompileOptions options = options_;
    options.memory_bytes_max = load.memory_bytes_max;
    HLOCTS_ASSIGN_OR_RETURN(options.custom_calls, plan::OpenCustomCalls(load.custom_calls));
    try {
      return MakeExecutable(module, load, options, device_);
    } catch (const std::bad_alloc&) {
      return absl::ResourceExhaustedError("out of memory while compiling");
    }
  }

 private:
  std::string version_ = Engine::Version(), words_ = plan::kWords;
  CompileOptions options_;
  std::shared_ptr<Device> device_;
};

absl::StatusOr<Placement> TakeWhen(pjrt::Options& options, absl::string_view key) {
  const std::string value = options.Take(key);
  if (value == "always") return Placement::kAlways;
  if (value == "never") return Placement::kNever;
  if (value.empty() || value == "auto") return Placement::kAuto;
  return InvalidInput("option ", key, ": expected always, never or auto, found ", value);
}

absl::StatusOr<hl::Math> TakeMath(pjrt::Options& options) {
  const std::string value = options.Take("math");
  if (value == "f64") return hl::kMathDouble;
  if (value.empty() || value == "f32") return hl::kMathSingle;
  return InvalidInput("option math: expected f32 or f64, found ", value);
}

absl::StatusOr<CompileOptions> CompileOptionsOf(pjrt::Options& given) {
  CompileOptions options;
  HLOCTS_ASSIGN_OR_RETURN(options.jit, TakeWhen(given, "jit"));
  HLOCTS_ASSIGN_OR_RETURN(options.libraries, TakeWhen(given, "libraries"));
  HLOCTS_ASSIGN_OR_RETURN(options.math, TakeMath(given));
  HLOCTS_ASSIGN_OR_RETURN(options.deterministic, given.TakeBool("deterministic", true));
  HLOCTS_ASSIGN_OR_RETURN(options.tf32, given.TakeBool("tf32", false));
  HLOCTS_ASSIGN_OR_RETURN(options.fast_math, given.TakeBool("fast_math", false));
  for (const std::string& passes : given.TakeAll("disable"))
    HLOCTS_RETURN_IF_ERROR(plan::Disable(passes, OwnPasses(), options.disabled));
  HLOCTS_RETURN_IF_ERROR(given.CheckNoUnknownOptions(
      "jit, libraries, math, device, deterministic, tf32, fast_math, disable"));
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<pjrt::Engine>> MakeEngine(pjrt::Options given) {
  const std::string named = given.Take("device");
  int32_t index = -1;  // -1: the process number selects a device
  if (!named.empty() && named != "host" && (!absl::SimpleAtoi(named, &index) || index < 0))
    return InvalidInput("option device: expected host or a number, found ", named);
  HLOCTS_ASSIGN_OR_RETURN(CompileOptions options, CompileOptionsOf(given));
  if (named == "host") return std::make_unique<CudaEngine>(std::move(options), MakeHostDevice());
  // Successive workers usually have successive process numbers, so they use different devices.
  const int32_t count = std::max(CudaDeviceCount(), 1), shared = index < 0 ? count : 1;
  if (index < 0) index = static_cast<int32_t>(getpid() % count);
  HLOCTS_ASSIGN_OR_RETURN(std::shared_ptr<Device> device, OpenCudaDevice(index));
  auto engine = std::make_unique<CudaEngine>(std::move(options), std::move(device));
  engine->Describe(DeviceDescription(), int64_t{WorkersMax()} * shared);
  return engine;
}

std::string Opcodes() {
  return plan::OpcodeNames({
#define HLOCTS_CUDA_OP(Name, factory) Opcode::k##Name,
#define HLOCTS_CUDA_HOST_OP(Name, factory) Opcode::k##Name,
#include "backends/engine/cuda/compile/ops.def"
#undef HLOCTS_CUDA_OP
#undef HLOCTS_CUDA_HOST_OP
#define HLOCTS_ELEMENT_OP(Name) Opcode::k##Name,
#include "backends/engine/cuda/compile/element_ops.def"
#undef HLOCTS_ELEMENT_OP
  });
}

}  // namespace hlocts::cuda
