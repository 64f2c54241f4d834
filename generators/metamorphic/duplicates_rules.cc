// SPDX-License-Identifier: Apache-2.0
// Rules that add dead or duplicate code, or change names, order or parameters.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "generators/metamorphic/rules.h"
#include "spec/ir/opcode.h"
#include "spec/ir/surgery.h"

namespace hlocts::generators {

// Adds an unused quotient with divisor 0, and for rank > 0 an unused slice with starts too large.
bool AddDeadCode(Site& s) {
  if (!s.shape().IsArray()) return false;
  bool divides = Contains(RowOf(Opcode::kDivide).types, s.type());
  Instruction* dead = divides ? s.Make(Opcode::kDivide, {s.at, s.Splat(s.shape(), 0)}) : s.at;
  if (s.rank() > 0) {
    Operands operands = {dead};
    for (int64_t d = 0; d < s.rank(); ++d)
      operands.push_back(s.Number(PrimitiveType::kS32, 2147483647.0));
    dead = s.Make(Opcode::kDynamicSlice, operands,
                  {{Attr::kDynamicSliceSizes, Dims(static_cast<size_t>(s.rank()), 0)}});
  }
  return dead != s.at && s.Done();
}

// Adds an earlier value as the last output.
bool AddOutput(Site& s) {
  if (!s.in_entry() || !s.IsRoot() || !s.module.input_output_alias.empty()) return false;
  Operands values;
  for (const auto& instruction : s.at->parent()->instructions()) {
    if (instruction.get() == s.at) break;
    if (instruction->shape().IsArray()) values.push_back(instruction.get());
  }
  if (values.empty()) return false;
  Operands outputs;
  if (s.shape().IsTuple()) {
    for (size_t i = 0; i < s.shape().tuple_shapes().size(); ++i) {
      outputs.push_back(s.Element(s.at, static_cast<int64_t>(i)));
    }
  } else {
    outputs.push_back(s.at);
  }
  outputs.push_back(s.choose.Pick(values));
  Instruction* root = s.Make(Opcode::kTuple, outputs);
  s.at->parent()->set_root(root);
  if (s.module.entry_computation_layout) s.module.entry_computation_layout->result = root->shape();
  return s.Done();
}

bool AddUnusedParameter(Site& s) {
  if (!s.in_entry()) return false;
  s.NewParameter(Literal(Shape(PrimitiveType::kF32, {s.choose.Range(0, 5)})));
  return s.Done();
}

bool CloneForOneUser(Site& s) {
  if (IsCarrier(*s.at) || HasSideEffects(*s.at) || !s.at->called_computations().empty())
    return false;
  Operands users;
  for (const auto& user : s.at->parent()->instructions()) {
    const Operands& operands = user->operands();
    if (std::find(operands.begin(), operands.end(), s.at) != operands.end())
      users.push_back(user.get());
  }
  if (users.empty()) return false;
  Instruction* user = s.choose.Pick(users);
  Instruction* clone = s.Again(s.at->operands(), s.shape());
  clone->mutable_shape() = s.shape();
  for (Instruction*& operand : user->mutable_operands()) {
    if (operand == s.at) operand = clone;
  }
  return s.Done();
}

// Replaces a parameter by a constant with its value. The parameter remains, but is unused.
bool ParameterAsConstant(Site& s) {
  const Literal* value = s.opcode() == Opcode::kParameter ? s.Known(*s.at) : nullptr;
  return value && s.Use(s.Constant(*value));
}

bool ConstantAsParameter(Site& s) {
  if (s.opcode() != Opcode::kConstant || !s.in_entry() || !s.shape().IsArray()) return false;
  return s.Use(s.NewParameter(s.at->literal()));
}

bool ReorderText(Site& s) {
  Computation* computation = s.at->parent();
  if (!s.IsRoot() || s.module.is_scheduled) return false;
  Operands waiting, order;
  for (const auto& one : computation->instructions()) waiting.push_back(one.get());
  auto placed = [&](const Instruction* one) {
    return std::find(order.begin(), order.end(), one) != order.end();
  };
  while (!waiting.empty()) {
    Operands ready;
    for (Instruction* one : waiting) {
      const auto* before = one->Get<Operands>(Attr::kControlPredecessors);
      bool can = std::all_of(one->operands().begin(), one->operands().end(), placed) &&
                 (!before || std::all_of(before->begin(), before->end(), placed));
      if (can) ready.push_back(one);
    }
    Instruction* next = s.choose.Pick(ready);
    order.push_back(next);
    waiting.erase(std::find(waiting.begin(), waiting.end(), next));
  }
  computation->Reorder(order);
  return s.Done();
}

bool RenameAll(Site& s) {
  if (!s.in_entry() || !s.IsRoot()) return false;
  int64_t number = 0;
  for (const auto& computation : s.module.computations()) {
    computation->set_name(absl::StrCat("another_", number++));
    for (const auto& one : computation->instructions()) {
      one->set_name(absl::StrCat(s.choose.Below(2) ? "fusion." : "x_", number++));
    }
  }
  return s.Done();
}

}  // namespace hlocts::generators
