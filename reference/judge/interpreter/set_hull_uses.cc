// SPDX-License-Identifier: Apache-2.0
// Finds the instructions that read unrounded results (lemma 5). Unread intervals are not kept.
#include <algorithm>

#include "reference/judge/interpreter/set_interpreter.h"
#include "spec/ir/module.h"
#include "spec/ops/groups.h"

namespace hlocts::reference {
namespace {

// Returns true for operations that pass values on without arithmetic, with pre-rounding intervals.
bool PassesPreRounding(const Instruction& user) {
  const OpRow& row = RowOf(user.opcode());
  switch (row.family) {
    case Family::kMovement:
    case Family::kTuple:
    case Family::kIndexing:
    case Family::kControlFlow:
    case Family::kCollective:
    case Family::kDynamicSize:
    case Family::kAsync:
    case Family::kReduction:
      return true;
    default:
      return ops::IsComponent(user.opcode()) ||
             ops::IsOneOf(user.opcode(),
                          {Opcode::kSelect, Opcode::kNegate, Opcode::kComplex, Opcode::kConvert});
  }
}

uint8_t DirectUse(const Instruction& user) {
  switch (RowOf(user.opcode()).accuracy) {
    case AccuracyRule::kAddSubtract:
    case AccuracyRule::kReduction:
    case AccuracyRule::kScatter:
    case AccuracyRule::kSelectAndScatter:
    case AccuracyRule::kCollectiveReduction:
    case AccuracyRule::kBatchNorm:
      return kHullContract;
    case AccuracyRule::kConvert:
      return kHullWiden;
    default:
      return kHullUnused;
  }
}

}  // namespace

void SetInterpreter::AnalyzeUnroundedUses(const Computation& computation) {
  const auto& instructions = computation.instructions();
  bool entry = &computation == module_.entry();
  for (const auto& instruction : instructions) hull_use_[instruction.get()] = kHullUnused;
  if (!entry && computation.root() != nullptr) hull_use_[computation.root()] = kHullAny;
  for (auto it = instructions.rbegin(); it != instructions.rend(); ++it) {
    const Instruction& user = **it;
    uint8_t use = DirectUse(user) | (PassesPreRounding(user) ? hull_use_[&user] : 0);
    // How a called computation uses its parameters is not examined.
    if (!user.called_computations().empty()) use = kHullAny;
    for (const Instruction* operand : user.operands()) hull_use_[operand] |= use;
  }
}

bool SetInterpreter::ReadsUnrounded(const Shape& shape) const {
  const PrimitiveType type = shape.element_type();
  if (shape.IsTuple()) return options_.facts.excess_16bit || options_.facts.excess_32bit;
  if (!IsFloat(type) && !IsComplex(type)) return false;
  const int width = BitWidth(ComponentType(type));
  return (options_.facts.excess_16bit && width <= 16) ||
         (options_.facts.excess_32bit && width == 32);
}

UnroundedUse SetInterpreter::HullUseOf(const Instruction& instruction) {
  if (options_.facts.values_once) return kHullUnused;
  if (profile() == Profile::kRelaxed) return kHullAny;
  if (profile() == Profile::kStrict) return kHullUnused;
  if (ReadsUnrounded(instruction.shape())) return kHullAny;
  auto found = hull_use_.find(&instruction);
  if (found == hull_use_.end()) {
    if (instruction.parent() == nullptr) return kHullAny;
    AnalyzeUnroundedUses(*instruction.parent());
    found = hull_use_.find(&instruction);
    if (found == hull_use_.end()) return kHullAny;
  }
  return static_cast<UnroundedUse>(found->second);
}

}  // namespace hlocts::reference
