// SPDX-License-Identifier: Apache-2.0
#include "backends/selftest/faults/fault_hook.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

// The parts of an instruction that surgery may change.
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

}  // namespace

void MakeFaulty(std::unique_ptr<Module>& module, const Fault& fault) {
  if (fault.module_edit) Operate(*module, fault);
  if (!fault.rewrite) return;
  std::unique_ptr<Module> rewritten = module->Clone();
  fault.rewrite(*rewritten);
  if (VerifyModule(*rewritten).ok()) module = std::move(rewritten);
}

namespace {

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

}  // namespace

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

}  // namespace hlocts::backends
