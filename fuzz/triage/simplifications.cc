// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/simplifications.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/ir/attributes.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/ir/surgery.h"
#include "spec/ops/op_facts.h"

namespace hlocts::fuzz {
namespace {

// Returns an edit that applies `plain` to each dimension of the attribute.
template <typename Value, typename Plain>
std::function<bool(Instruction&)> EachDimension(Attr attr, Plain plain) {
  return [attr, plain](Instruction& instruction) {
    const Value* value = instruction.Get<Value>(attr);
    if (!value) return false;
    Value simple = *value;
    for (auto& dimension : simple.dimensions) plain(dimension);
    if (simple == *value) return false;
    instruction.Set(attr, simple);
    return true;
  };
}

template <typename Plain>
std::function<bool(Instruction&)> EachWindow(Plain plain) {
  return EachDimension<Window>(Attr::kWindow, plain);
}

// Returns the tuples that are roots of loop bodies.
std::vector<Instruction*> CarriedBy(const Module& module) {
  std::vector<Instruction*> roots;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Computation* body = instruction->CalledComputation(Attr::kBody);
      if (instruction->opcode() != Opcode::kWhile || body == nullptr) continue;
      if (body->root() != nullptr && body->root()->opcode() == Opcode::kTuple)
        roots.push_back(body->root());
    }
  }
  return roots;
}

// Returns true if operand `k` of the root is an element of the loop state at another index.
bool Permutations(const Instruction& root, int64_t k) {
  const Instruction& carried = root.operand(k);
  return carried.opcode() == Opcode::kGetTupleElement && carried.operand(0).IsParameter() &&
         carried.IntOr(Attr::kIndex, k) != k;
}

}  // namespace

const std::vector<SimplifyingEdit>& SimplifyingEdits() {
  static const auto* const kEdits = new std::vector<SimplifyingEdit>{
      {"stride", EachWindow([](WindowDimension& d) { d.stride = 1; })},
      {"padding", EachWindow([](WindowDimension& d) { d.padding_low = d.padding_high = 0; })},
      {"dilation", EachWindow([](WindowDimension& d) { d.window_dilation = d.base_dilation = 1; })},
      {"reversal", EachWindow([](WindowDimension& d) { d.window_reversal = false; })},
      {"interior",
       EachDimension<PaddingConfig>(Attr::kPadding, [](PaddingDimension& d) { d.interior = 0; })},
      {"stride", EachDimension<SliceRanges>(Attr::kSlice, [](SliceRange& d) { d.stride = 1; })},
  };
  return *kEdits;
}

bool HasLayouts(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Shape& shape = instruction->shape();
      if (shape.WithDefaultLayout() != shape.WithoutLayout().WithDefaultLayout()) return true;
    }
  }
  return false;
}

bool OnlyIndexes(const Instruction& leaf) {
  if (!leaf.IsParameter() && !leaf.has_literal()) return false;
  bool indexes = false;
  for (const auto& user : leaf.parent()->instructions()) {
    for (int64_t k = 0; k < user->operand_count(); ++k) {
      if (user->operands()[static_cast<size_t>(k)] != &leaf) continue;
      if (!IsIndexOperand(*user, k)) return false;
      indexes = true;
    }
  }
  return indexes;
}

bool AnyPermutations(const Module& module) {
  for (const Instruction* root : CarriedBy(module)) {
    for (int64_t k = 0; k < root->operand_count(); ++k)
      if (Permutations(*root, k)) return true;
  }
  return false;
}

void UndoPermutations(Module& module) {
  for (Instruction* root : CarriedBy(module)) {
    for (int64_t k = 0; k < root->operand_count(); ++k) {
      if (!Permutations(*root, k)) continue;
      Instruction* state = root->operands()[static_cast<size_t>(k)]->operands()[0];
      auto stays = std::make_unique<Instruction>(
          absl::StrCat(root->name(), ".stays.", k), Opcode::kGetTupleElement,
          state->shape().tuple_shapes()[static_cast<size_t>(k)]);
      stays->mutable_operands() = {state};
      stays->Set(Attr::kIndex, k);
      Instruction* added = root->parent()->Add(std::move(stays));
      root->mutable_operands()[static_cast<size_t>(k)] = added;
      MoveToFront(added);
      MoveToFront(state);
    }
  }
}

}  // namespace hlocts::fuzz
