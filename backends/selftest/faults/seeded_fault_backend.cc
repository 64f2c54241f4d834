// SPDX-License-Identifier: Apache-2.0
// The engine canary:FAULT: the reference evaluator with one seeded fault, or with several
// (canary:FAULT+FAULT). A fault that suites and campaigns do not detect here would not be detected
// in a compiler either.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "backends/adapters/reference/reference_run.h"
#include "backends/backend.h"
#include "backends/backend_list.h"
#include "backends/selftest/faults/fault.h"
#include "reference/eval_hook.h"
#include "spec/base/nearest.h"
#include "spec/base/version.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

// Applies a fault in one execution.
class FaultHook : public reference::EvalHook {
 public:
  explicit FaultHook(const Fault& fault) : fault_(fault) {}

  absl::Status BeforeInstruction(reference::EvalContext& context, const Instruction& instruction,
                                 absl::Span<Literal> operands) override;
  absl::Status AfterInstruction(reference::EvalContext& context, const Instruction& instruction,
                                absl::Span<const Literal> operands, Literal& result) override;

 private:
  bool Applies(const Instruction& instruction) const;
  FaultMemory& MemoryOf(const reference::EvalContext& context);

  const Fault& fault_;
  std::mutex mutex_;
  std::map<const reference::EvalContext*, FaultMemory> memories_;  // one per device
};

// The parts of an instruction that a fault's module_edit may change.
struct Saved {
  explicit Saved(const Instruction& instruction)
      : opcode(instruction.opcode()),
        shape(instruction.shape()),
        operands(instruction.operands()),
        attributes(instruction.attributes()),
        parameter_number(instruction.parameter_number()) {
    if (instruction.has_literal()) literal = instruction.literal();
  }
  void Restore(Instruction& instruction) const {
    instruction.set_opcode(opcode);
    instruction.mutable_shape() = shape;
    instruction.mutable_operands() = operands;
    instruction.mutable_attributes() = attributes;
    instruction.set_parameter_number(parameter_number);
    if (instruction.has_literal()) instruction.set_literal(literal);
  }
  Opcode opcode;
  Shape shape;
  std::vector<Instruction*> operands;
  std::vector<std::pair<Attr, AttributeValue>> attributes;
  int64_t parameter_number;
  Literal literal;
};

bool Named(const Fault& fault, Opcode opcode) {
  return fault.opcodes.empty() ||
         std::find(fault.opcodes.begin(), fault.opcodes.end(), opcode) != fault.opcodes.end();
}

void Operate(Module& module, const Fault& fault) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!Named(fault, instruction->opcode())) continue;
      Saved before(*instruction);
      if (fault.module_edit(*instruction) && !VerifyModule(module).ok())
        before.Restore(*instruction);
    }
  }
}

// Changes the module as an engine with this fault would read it.
void MakeFaulty(std::unique_ptr<Module>& module, const Fault& fault) {
  if (fault.module_edit) Operate(*module, fault);
  if (!fault.rewrite) return;
  std::unique_ptr<Module> rewritten = module->Clone();
  fault.rewrite(*rewritten);
  if (VerifyModule(*rewritten).ok()) module = std::move(rewritten);
}

const Instruction* FirstThat(const std::function<bool(const Instruction&)>& is_so,
                             const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (is_so(*instruction)) return instruction.get();
    }
  }
  return nullptr;
}

bool Forgets(const Fault& fault, const Module& module, absl::string_view rule) {
  if (fault.skipped_rule.empty()) return false;
  if (fault.skips_single_rule ? rule != fault.skipped_rule
                              : !absl::StartsWith(rule, fault.skipped_rule)) {
    return false;
  }
  return !fault.rule_skipped_if || FirstThat(fault.rule_skipped_if, module) != nullptr;
}

// Returns the status with which an engine with this fault loads the module; `verified` is the
// correct status.
absl::Status FaultyVerify(const Module& module, const absl::Status& verified, const Fault& fault) {
  if (!verified.ok()) return Forgets(fault, module, RuleOf(verified)) ? absl::OkStatus() : verified;
  if (!fault.refuses) return absl::OkStatus();
  const Instruction* refused = FirstThat(fault.refuses, module);
  return refused ? InvalidInput(refused->name(), ": ", fault.what) : absl::OkStatus();
}

bool FaultHook::Applies(const Instruction& instruction) const {
  return Named(fault_, instruction.opcode());
}

FaultMemory& FaultHook::MemoryOf(const reference::EvalContext& context) {
  std::lock_guard<std::mutex> lock(mutex_);
  return memories_[&context];
}

absl::Status FaultHook::BeforeInstruction(reference::EvalContext& context,
                                          const Instruction& instruction,
                                          absl::Span<Literal> operands) {
  if (!fault_.before || !Applies(instruction)) return absl::OkStatus();
  FaultMemory& memory = MemoryOf(context);
  if (memory.busy) return absl::OkStatus();
  FaultSite site{context, instruction, operands, nullptr, memory};
  fault_.before(site);
  return absl::OkStatus();
}

absl::Status FaultHook::AfterInstruction(reference::EvalContext& context,
                                         const Instruction& instruction,
                                         absl::Span<const Literal> operands, Literal& result) {
  if (!fault_.after || !Applies(instruction)) return absl::OkStatus();
  FaultMemory& memory = MemoryOf(context);
  if (memory.busy) return absl::OkStatus();
  std::vector<Literal> own(operands.begin(), operands.end());
  FaultSite site{context, instruction, absl::MakeSpan(own), &result, memory};
  fault_.after(site);
  return absl::OkStatus();
}

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

// Returns the result of verification with faults: a module is rejected if one fault rejects it, and
// an invalid module is accepted if one fault accepts it.
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
    BackendInfo info{.name = name_, .version = kVersion};
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
      return absl::NotFoundError(absl::StrCat(
          "backend \"canary:", name.argument, "\": expected one of the ", ids.size(),
          " faults of `hlocts selfcheck --list`, ", "found ", id, DidYouMean(id, ids)));
    }
    faults.push_back(fault);
  }
  return std::unique_ptr<Backend>(
      std::make_unique<SeededFaultBackend>(name.text, std::move(faults)));
}

}  // namespace hlocts::backends
