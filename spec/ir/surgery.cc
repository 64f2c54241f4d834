// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/surgery.h"

#include <algorithm>
#include <utility>

#include "spec/ir/attr.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"

namespace hlocts {

bool IsCarrier(const Instruction& instruction) {
  return instruction.IsParameter() || instruction.IsConstant();
}

bool IsCheapOfConstants(Opcode opcode) {
  return opcode == Opcode::kIota || opcode == Opcode::kBroadcast || opcode == Opcode::kReshape;
}

const Computation* InlinedBody(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kCall) return instruction.CalledComputation(Attr::kToApply);
  if (instruction.opcode() == Opcode::kFusion) return instruction.CalledComputation(Attr::kCalls);
  return nullptr;
}

void ReplaceUses(Instruction* from, Instruction* to, absl::Span<Instruction* const> keep) {
  Computation* computation = from->parent();
  for (const auto& user : computation->instructions()) {
    if (user.get() == to || std::find(keep.begin(), keep.end(), user.get()) != keep.end()) continue;
    for (Instruction*& operand : user->mutable_operands()) {
      if (operand == from) operand = to;
    }
  }
  if (computation->root() == from) computation->set_root(to);
}

std::unique_ptr<Instruction> CopyOf(const Instruction& instruction, std::string name,
                                    std::vector<Instruction*> operands) {
  auto copy =
      std::make_unique<Instruction>(std::move(name), instruction.opcode(), instruction.shape());
  copy->mutable_operands() = std::move(operands);
  copy->mutable_attributes() = instruction.attributes();
  copy->set_parameter_number(instruction.parameter_number());
  if (instruction.has_literal()) copy->set_literal(instruction.literal());
  return copy;
}

void MoveBehind(Instruction* place, absl::Span<Instruction* const> added) {
  Computation* computation = place->parent();
  std::vector<Instruction*> order;
  for (const auto& instruction : computation->instructions()) {
    Instruction* one = instruction.get();
    if (std::find(added.begin(), added.end(), one) == added.end()) order.push_back(one);
    if (one == place) order.insert(order.end(), added.begin(), added.end());
  }
  computation->Reorder(order);
}

void MoveToFront(Instruction* added) {
  Computation* computation = added->parent();
  std::vector<Instruction*> order = {added};
  for (const auto& instruction : computation->instructions()) {
    if (instruction.get() != added) order.push_back(instruction.get());
  }
  computation->Reorder(order);
}

}  // namespace hlocts
