// SPDX-License-Identifier: Apache-2.0
#include "generators/layouts.h"

#include "absl/container/flat_hash_set.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/ops/op_table.h"

namespace hlocts::generators {
namespace {

void SetDefaultLayouts(Shape& shape) {
  if (shape.IsArray())
    shape.mutable_layout().emplace().minor_to_major = MajorToMinorOrder(shape.rank());
  for (Shape& element : shape.mutable_tuple_shapes()) SetDefaultLayouts(element);
}

bool HandsOver(const Instruction& instruction) {
  Family family = RowOf(instruction.opcode()).family;
  return family == Family::kControlFlow || family == Family::kTuple ||
         family == Family::kCollective;
}

void DrawLayout(ChoiceSource& choose, Shape& shape) {
  Layout& layout = *shape.mutable_layout();
  for (size_t i = layout.minor_to_major.size(); i > 1; --i) {
    std::swap(layout.minor_to_major[i - 1], layout.minor_to_major[choose.Below(i)]);
  }
}

void DrawLayouts(ChoiceSource& choose, Computation& entry) {
  absl::flat_hash_set<const Instruction*> fixed;
  for (const auto& user : entry.instructions()) {
    if (!HandsOver(*user) || user.get() == entry.root()) continue;
    fixed.insert(user->operands().begin(), user->operands().end());
  }
  for (const auto& instruction : entry.instructions()) {
    Shape& shape = instruction->mutable_shape();
    bool free = shape.IsArray() && shape.rank() > 1 && !HandsOver(*instruction) &&
                !fixed.contains(instruction.get());
    if (free && choose.Below(2)) DrawLayout(choose, shape);
  }
  // The elements of a root tuple are its operands, so that they have the same layouts.
  Instruction* root = entry.root();
  if (root->opcode() != Opcode::kTuple) return;
  for (int64_t i = 0; i < root->operand_count(); ++i) {
    root->mutable_shape().mutable_tuple_shapes()[i].mutable_layout() =
        root->operand(i).shape().layout();
  }
}

}  // namespace

void SetLayouts(ChoiceSource& choose, bool drawn, Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions())
      SetDefaultLayouts(instruction->mutable_shape());
  }
  if (drawn) DrawLayouts(choose, *module.entry());
}

}  // namespace hlocts::generators
