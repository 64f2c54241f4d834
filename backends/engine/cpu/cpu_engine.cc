// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/cpu_engine.h"

#include "backends/engine/cpu/run/executable.h"
#include "backends/engine/plan/custom_call.h"
#include "backends/engine/plan/fusion.h"
#include "backends/engine/plan/opcodes.h"
#include "backends/engine/plan/passes.h"
#include "backends/engine/plan/received.h"
#include "spec/infer/verifier.h"

namespace hlocts::cpu {
namespace {

class CpuEngine : public pjrt::Engine {
 public:
  explicit CpuEngine(CompileOptions options) : options_(std::move(options)) {}

  // The engine may replace subnormals by zeros (MayFlush), even in comparisons.
  std::string Words() override { return absl::StrCat(plan::kWords, " fact:compare.flush"); }

  absl::StatusOr<std::unique_ptr<pjrt::Executable>> Load(const Module& module,
                                                         const pjrt::LoadOptions& load) override {
    HLOCTS_RETURN_IF_ERROR(VerifyModule(module));
    HLOCTS_RETURN_IF_ERROR(plan::CheckReceived(module, load.memory_bytes_max));
    CompileOptions options = options_;
    options.memory_bytes_max = load.memory_bytes_max;
    HLOCTS_ASSIGN_OR_RETURN(options.custom_calls, plan::OpenCustomCalls(load.custom_calls));
    try {
      return IsDynamic(module) ? MakeDynamicExecutable(module, load, options)
                               : MakeStaticExecutable(module, load, options);
    } catch (const std::bad_alloc&) {
      return absl::ResourceExhaustedError("out of memory while compiling");
    }
  }

 private:
  CompileOptions options_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<pjrt::Engine>> MakeEngine(pjrt::Options given) {
  CompileOptions options;
  HLOCTS_ASSIGN_OR_RETURN(const int64_t threads, given.TakeInt("threads", 0, 1));
  options.threads = static_cast<int>(threads);
  HLOCTS_ASSIGN_OR_RETURN(options.math.strict, given.TakeBool("strict", false));
  HLOCTS_ASSIGN_OR_RETURN(options.guard, given.TakeBool("guard", false));
  for (const std::string& passes : given.TakeAll("disable"))
    HLOCTS_RETURN_IF_ERROR(plan::Disable(passes, OwnPasses(), options.disabled));
  HLOCTS_RETURN_IF_ERROR(given.CheckNoUnknownOptions("threads, disable, strict, guard"));
  return std::make_unique<CpuEngine>(std::move(options));
}

std::string Opcodes() {
  std::vector<Opcode> opcodes = {
#define HLOCTS_CPU_OP(Name, factory) Opcode::k##Name,
#include "backends/engine/cpu/compile/ops.def"
#undef HLOCTS_CPU_OP
  };
  for (const Opcode opcode : AllOpcodes()) {
    if (plan::IsElementwise(opcode)) opcodes.push_back(opcode);
  }
  return plan::OpcodeNames(opcodes);
}

}  // namespace hlocts::cpu
