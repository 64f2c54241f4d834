// SPDX-License-Identifier: Apache-2.0
// Shrinks attributes to their defaults.
#include "fuzz/shrink/shrinker.h"
#include "fuzz/triage/simple_attributes.h"
#include "spec/ops/op_table.h"

namespace hlocts::fuzz {
namespace {

using Edit = std::function<bool(Instruction& instruction)>;

bool TryEdit(Sample& sample, size_t computation, int64_t index, const Edit& edit,
             const StillFails& still_fails) {
  Sample candidate = sample.Clone();
  Instruction& instruction = *candidate.module->computations()[computation]->instructions()[index];
  if (!edit(instruction) || !InferEdited(*candidate.module, *sample.module)) return false;
  candidate.module->entry_computation_layout.reset();
  return KeepIfFails(sample, std::move(candidate), still_fails);
}

bool DropOptional(Instruction& instruction, Attr attr) {
  if (!instruction.Has(attr)) return false;
  instruction.Remove(attr);
  return true;
}

Shape InDefaultLayout(const Shape& shape) { return shape.WithoutLayout().WithDefaultLayout(); }

}  // namespace

bool DefaultLayouts(Sample& sample, const StillFails& still_fails) {
  if (!HasLayouts(*sample.module)) return false;
  Sample candidate = sample.Clone();
  for (const auto& computation : candidate.module->computations()) {
    for (const auto& instruction : computation->instructions())
      instruction->mutable_shape() = InDefaultLayout(instruction->shape());
  }
  candidate.module->entry_computation_layout.reset();
  return KeepIfFails(sample, std::move(candidate), still_fails);
}

bool DefaultAttributes(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  for (size_t c = 0; c < sample.module->computations().size(); ++c) {
    for (size_t i = 0; i < sample.module->computations()[c]->instructions().size(); ++i) {
      int64_t index = static_cast<int64_t>(i);
      Opcode opcode = sample.module->computations()[c]->instructions()[i]->opcode();
      for (const SimplifyingEdit& edit : SimplifyingEdits())
        progress = TryEdit(sample, c, index, edit.run, still_fails) || progress;
      for (const AttributeUse& use : RowOf(opcode).attribute_uses()) {
        if (use.required) continue;
        Edit drop = [&](Instruction& instruction) { return DropOptional(instruction, use.attr); };
        progress = TryEdit(sample, c, index, drop, still_fails) || progress;
      }
    }
  }
  return progress;
}

}  // namespace hlocts::fuzz
