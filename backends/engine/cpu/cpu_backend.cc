// SPDX-License-Identifier: Apache-2.0
// The optimised CPU engine behind the Backend interface:
// `cpu?threads=N&disable=PASS,...&strict=true` and `&guard=true`.
#include "absl/strings/numbers.h"
#include "backends/backend_list.h"
#include "backends/engine/cpu/run/executable.h"
#include "backends/engine/plan/custom_call.h"
#include "backends/engine/plan/passes.h"
#include "backends/engine/plan/received.h"
#include "spec/infer/verifier.h"

namespace hlocts::backends {
namespace {

class CpuBackend : public Backend {
 public:
  CpuBackend(std::string name, cpu::CompileOptions options)
      : name_(std::move(name)), options_(std::move(options)) {}

  BackendInfo info() override {
    BackendInfo info;
    info.name = name_;
    info.version = "0.1.0";
    info.capabilities = {"execute", "verify",      "replicas",  "donation",
                         "infeed",  "custom-call", "our-parser"};
    info.facts = {"convert.saturate", "integer.division", "shift.saturate", "rng.xla_layout"};
    // Not "strict": it runs with subnormals read as zeros (MayFlush), comparisons included.
    info.facts.push_back("compare.flush");
    return info;
  }

  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions& load) override {
    HLOCTS_RETURN_IF_ERROR(VerifyModule(module));
    HLOCTS_RETURN_IF_ERROR(plan::CheckReceived(module, load.memory_bytes_max));
    cpu::CompileOptions options = options_;
    options.memory_bytes_max = load.memory_bytes_max;
    HLOCTS_ASSIGN_OR_RETURN(options.custom_calls, plan::OpenCustomCalls(load.custom_calls));
    try {
      return cpu::IsDynamic(module) ? cpu::MakeDynamicExecutable(module, load, options)
                                    : cpu::MakeStaticExecutable(module, load, options);
    } catch (const std::bad_alloc&) {
      return absl::ResourceExhaustedError("out of memory while compiling");
    }
  }

 private:
  std::string name_;
  cpu::CompileOptions options_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeCpuBackend(BackendName name) {
  cpu::CompileOptions options;
  const std::string threads = name.TakeOption("threads"), strict = name.TakeOption("strict");
  if (!threads.empty() && (!absl::SimpleAtoi(threads, &options.threads) || options.threads < 1)) {
    return InvalidInput("backend \"", name.text, "\": expected threads=1 or more");
  }
  if (!strict.empty() && strict != "true" && strict != "false") {
    return InvalidInput("backend \"", name.text, "\": expected strict=true or strict=false");
  }
  options.math.strict = strict == "true";
  const std::string guard = name.TakeOption("guard");
  if (!guard.empty() && guard != "true" && guard != "false") {
    return InvalidInput("backend \"", name.text, "\": expected guard=true or guard=false");
  }
  options.guard = guard == "true";
  for (std::string passes; !(passes = name.TakeOption("disable")).empty();) {
    HLOCTS_RETURN_IF_ERROR(plan::Disable(passes, cpu::OwnPasses(), options.disabled));
  }
  if (!name.options.empty()) {
    return InvalidInput("backend \"", name.text,
                        "\": expected threads, disable, strict or guard, found ",
                        name.options[0].first);
  }
  return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(name.text, std::move(options)));
}

}  // namespace hlocts::backends
