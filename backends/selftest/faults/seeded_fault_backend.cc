// SPDX-License-Identifier: Apache-2.0
// The engine canary:FAULT: the reference evaluator with one or several seeded faults,
// canary:FAULT+FAULT. A fault that suites and campaigns do not detect here would not be detected in
// a compiler either.
#include "absl/strings/str_split.h"
#include "backends/adapters/reference/reference_run.h"
#include "backends/backend.h"
#include "backends/backend_list.h"
#include "backends/selftest/faults/fault_hook.h"
#include "backends/selftest/hooked_run.h"
#include "spec/base/nearest.h"
#include "spec/base/version.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

using Faults = std::vector<const Fault*>;

// Applies all faults at each instruction, in order.
class FaultsHook : public reference::EvalHook {
 public:
  explicit FaultsHook(const Faults& faults) {
    for (const Fault* fault : faults) {
      if (fault->before || fault->after) hooks_.push_back(std::make_unique<FaultHook>(*fault));
    }
  }
  bool empty() const { return hooks_.empty(); }

  absl::Status BeforeInstruction(reference::EvalContext& context, const Instruction& instruction,
                                 absl::Span<Literal> operands) override {
    for (const auto& hook : hooks_) {
      HLOCTS_RETURN_IF_ERROR(hook->BeforeInstruction(context, instruction, operands));
    }
    return absl::OkStatus();
  }
  absl::Status AfterInstruction(reference::EvalContext& context, const Instruction& instruction,
                                absl::Span<const Literal> operands, Literal& result) override {
    for (const auto& hook : hooks_) {
      HLOCTS_RETURN_IF_ERROR(hook->AfterInstruction(context, instruction, operands, result));
    }
    return absl::OkStatus();
  }

 private:
  std::vector<std::unique_ptr<FaultHook>> hooks_;
};

class CanaryExecutable : public Executable {
 public:
  CanaryExecutable(std::unique_ptr<Module> module, const LoadOptions& options, const Faults& faults)
      : module_(std::move(module)), options_(options), faults_(faults) {}

  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) override {
    ExecuteRequest own = request;
    for (const Fault* fault : faults_) {
      if (!fault->argument) continue;
      for (std::vector<Literal>& leaves : own.arguments) {
        for (Literal& leaf : leaves) fault->argument(leaf);
      }
    }
    FaultsHook hook(faults_);
    HLOCTS_ASSIGN_OR_RETURN(ExecuteResult result,
                            RunHooked(*module_, options_, own, hook.empty() ? nullptr : &hook));
    for (const Fault* fault : faults_) {
      if (!fault->outputs) continue;
      for (std::vector<Literal>& leaves : result.outputs) fault->outputs(leaves);
    }
    return result;
  }

 private:
  std::unique_ptr<Module> module_;
  LoadOptions options_;
  const Faults& faults_;
};

// The result of verification with faults: a module is rejected if one fault rejects it, and an
// invalid module is accepted if one fault accepts it.
absl::Status FaultyVerify(const Module& module, const Faults& faults) {
  const absl::Status verified = VerifyModule(module);
  for (const Fault* fault : faults) {
    absl::Status status = FaultyVerify(module, verified, *fault);
    if (status.ok() != verified.ok()) return status;
  }
  return verified;
}

class SeededFaultBackend : public Backend {
 public:
  SeededFaultBackend(std::string name, Faults faults)
      : name_(std::move(name)), faults_(std::move(faults)) {}

  BackendInfo info() override {
    BackendInfo info;
    info.name = name_;
    info.version = kVersion;
    info.capabilities = {"execute",     "verify",     "replicas",  "infeed",
                         "custom-call", "our-parser", "partitions"};
    info.facts = ReferenceFacts();
    return info;
  }

  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions& options) override {
    HLOCTS_RETURN_IF_ERROR(FaultyVerify(module, faults_));
    std::unique_ptr<Module> faulty = module.Clone();
    for (const Fault* fault : faults_) MakeFaulty(faulty, *fault);
    return std::unique_ptr<Executable>(
        std::make_unique<CanaryExecutable>(std::move(faulty), options, faults_));
  }

 private:
  std::string name_;
  Faults faults_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeSeededFaultBackend(BackendName name) {
  if (!name.options.empty()) {
    return InvalidInput("backend \"", name.text, "\": canary has no options except isolation");
  }
  Faults faults;
  for (absl::string_view id : absl::StrSplit(name.argument, '+')) {
    const Fault* fault = FindFault(id);
    if (fault == nullptr) {
      std::vector<std::string> ids;
      for (const Fault& known : AllFaults()) ids.push_back(known.id);
      return absl::NotFoundError(absl::StrCat("backend \"", name.text, "\": expected one of the ",
                                              ids.size(), " faults of `hlocts selfcheck --list`, ",
                                              "found ", id, DidYouMean(id, ids)));
    }
    faults.push_back(fault);
  }
  return std::unique_ptr<Backend>(
      std::make_unique<SeededFaultBackend>(name.text, std::move(faults)));
}

}  // namespace hlocts::backends
