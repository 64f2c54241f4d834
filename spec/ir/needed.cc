// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/needed.h"

#include "spec/ir/module.h"

namespace hlocts {

Needed::Needed(const Module& module) {
  Touch(*module.entry());
  while (!open_.empty()) {
    const Instruction* next = open_.back();
    open_.pop_back();
    Touch(*next->parent());
    for (const Instruction* operand : next->operands()) Add(operand);
    for (const Computation* called : next->called_computations()) Touch(*called);
  }
}

void Needed::Add(const Instruction* instruction) {
  if (instruction != nullptr && instructions_.insert(instruction).second)
    open_.push_back(instruction);
}

void Needed::Touch(const Computation& computation) {
  if (computations_.insert(&computation).second) Add(computation.root());
}

}  // namespace hlocts
