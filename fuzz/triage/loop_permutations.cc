// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/loop_permutations.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/ir/surgery.h"

namespace hlocts::fuzz {
namespace {

// Returns the roots of loop bodies that are tuples.
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

// Returns true if operand `k` of the root is another element of the loop state.
bool Permutations(const Instruction& root, int64_t k) {
  const Instruction& carried = root.operand(k);
  return carried.opcode() == Opcode::kGetTupleElement && carried.operand(0).IsParameter() &&
         carried.IntOr(Attr::kIndex, k) != k;
}

}  // namespace

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
