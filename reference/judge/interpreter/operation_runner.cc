// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/interpreter/operation_runner.h"

#include "absl/strings/str_cat.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"

namespace hlocts::reference {
namespace {

Instruction* AddParameter(Computation& computation, int64_t number, Shape shape) {
  auto parameter = std::make_unique<Instruction>(absl::StrCat("operand.", number),
                                                 Opcode::kParameter, std::move(shape));
  parameter->set_parameter_number(number);
  return computation.Add(std::move(parameter));
}

// Adds an entry computation with a parameter per operand and the instruction as its root.
Computation* AddEntry(Module& module, const Instruction& like, const Shape& result,
                      absl::Span<const Literal> operands) {
  auto entry = std::make_unique<Computation>("entry");
  auto root = std::make_unique<Instruction>(like.name(), like.opcode(), result);
  root->mutable_attributes() = like.attributes();
  root->Remove(Attr::kControlPredecessors);
  if (like.has_literal()) root->set_literal(like.literal());
  for (size_t i = 0; i < operands.size(); ++i) {
    Shape shape = operands[i].shape();
    // A bitcast depends on layouts, so parameters get the layouts of the instruction's operands.
    bool known = static_cast<int64_t>(i) < like.operand_count() && shape.IsArray();
    if (known && like.operand(i).shape().rank() == shape.rank()) {
      shape.mutable_layout() = like.operand(i).shape().layout();
    }
    Instruction* parameter = AddParameter(*entry, static_cast<int64_t>(i), std::move(shape));
    root->mutable_operands().push_back(parameter);
  }
  entry->set_root(entry->Add(std::move(root)));
  Computation* added = module.Add(std::move(entry));
  module.set_entry(added);
  return added;
}

}  // namespace

std::unique_ptr<Computation> ScalarBinary(Opcode opcode, PrimitiveType type) {
  auto computation = std::make_unique<Computation>("body");
  Shape scalar = Shape::Scalar(type);
  Instruction* lhs = AddParameter(*computation, 0, scalar);
  Instruction* rhs = AddParameter(*computation, 1, scalar);
  auto root = std::make_unique<Instruction>("result", opcode, scalar);
  root->mutable_operands() = {lhs, rhs};
  computation->set_root(computation->Add(std::move(root)));
  return computation;
}

absl::StatusOr<Literal> OperationRunner::Run(const Instruction& instruction, const Shape& result,
                                             absl::Span<const Literal> operands) {
  Module module(instruction.name());
  AddEntry(module, instruction, result, operands);
  return Evaluate(module, operands, options_);
}

absl::StatusOr<Literal> OperationRunner::RunWith(const Instruction& instruction,
                                                 const Shape& result,
                                                 absl::Span<const Literal> operands, Attr attr,
                                                 std::unique_ptr<Computation> computation) {
  Module module(instruction.name());
  Computation* body = module.Add(std::move(computation));
  Computation* entry = AddEntry(module, instruction, result, operands);
  entry->root()->Set(attr, body);
  return Evaluate(module, operands, options_);
}

absl::StatusOr<Literal> OperationRunner::Call(const Computation& computation, const Shape& result,
                                              absl::Span<const Literal> arguments) {
  Instruction call("call", Opcode::kCall, result);
  call.Set(Attr::kToApply, const_cast<Computation*>(&computation));
  return Run(call, result, arguments);
}

}  // namespace hlocts::reference
