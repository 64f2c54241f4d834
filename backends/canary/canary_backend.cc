// canary:FAULT: the reference evaluator with one bug planted in it. What the suites and campaigns do
// not notice here they would not notice in a compiler either.
#include "absl/strings/str_join.h"
#include "backends/backend.h"
#include "backends/backend_list.h"
#include "backends/canary/fault_hook.h"
#include "backends/canary/hooked_run.h"
#include "backends/reference/reference_run.h"

namespace hlocts {
namespace {

class CanaryExecutable : public Executable {
 public:
  CanaryExecutable(std::unique_ptr<Module> module, const LoadOptions& options, const Fault& fault)
      : module_(std::move(module)), options_(options), fault_(fault) {}

  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) override {
    ExecuteRequest own = request;
    if (fault_.argument) {
      for (std::vector<Literal>& leaves : own.arguments) {
        for (Literal& leaf : leaves) fault_.argument(leaf);
      }
    }
    FaultHook hook(fault_);
    bool hooked = fault_.before || fault_.after;
    HLOCTS_ASSIGN_OR_RETURN(ExecuteResult result,
                            RunHooked(*module_, options_, own, hooked ? &hook : nullptr));
    if (fault_.outputs) {
      for (std::vector<Literal>& leaves : result.outputs) fault_.outputs(leaves);
    }
    return result;
  }

 private:
  std::unique_ptr<Module> module_;
  LoadOptions options_;
  const Fault& fault_;
};

class CanaryBackend : public Backend {
 public:
  CanaryBackend(std::string name, const Fault& fault) : name_(std::move(name)), fault_(fault) {}

  BackendInfo info() override {
    BackendInfo info;
    info.name = name_;
    info.version = "0.1.0";
    info.capabilities = {"execute", "verify", "replicas", "infeed", "custom-call", "our-parser"};
    info.facts = ReferenceFacts();
    return info;
  }

  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions& options) override {
    HLOCTS_RETURN_IF_ERROR(FaultyVerify(module, fault_));
    return std::unique_ptr<Executable>(
        std::make_unique<CanaryExecutable>(FaultyModule(module, fault_), options, fault_));
  }

 private:
  std::string name_;
  const Fault& fault_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeCanaryBackend(BackendName name) {
  if (!name.options.empty()) {
    return InvalidInput("backend \"", name.text, "\": canary takes no options but isolation");
  }
  const Fault* fault = FindFault(name.argument);
  if (fault == nullptr) {
    std::vector<std::string> ids;
    for (const Fault& known : AllFaults()) ids.push_back(known.id);
    return absl::NotFoundError(absl::StrCat("backend \"", name.text,
                                            "\": no such fault; expected one of ",
                                            absl::StrJoin(ids, ", ")));
  }
  return std::unique_ptr<Backend>(std::make_unique<CanaryBackend>(name.text, *fault));
}

}  // namespace hlocts
