// SPDX-License-Identifier: Apache-2.0
#include "generators/metamorphic/rules.h"

#include <algorithm>
#include <numeric>

#include "spec/ir/opcode.h"

namespace hlocts::generators {
namespace {

constexpr MetamorphicRule kRules[] = {
#define HLOCTS_METAMORPHIC(name, Group, Effect, Function) \
  {name, RuleGroup::Group, RuleEffect::Effect, &Function},
#include "generators/metamorphic/rules.def"
#undef HLOCTS_METAMORPHIC
};

constexpr absl::string_view kGroupNames[] = {"layout",  "movement", "duplicates", "barriers",
                                             "control", "batching", "integers",   "types",
                                             "floats",  "bounded",  "ordering",   "collectives"};

}  // namespace

absl::string_view RuleGroupName(RuleGroup group) { return kGroupNames[static_cast<size_t>(group)]; }

absl::Span<const MetamorphicRule> AllMetamorphicRules() { return kRules; }

const MetamorphicRule* FindMetamorphicRule(absl::string_view name) {
  for (const MetamorphicRule& rule : kRules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

Dims Iotas(int64_t count) {
  Dims result(static_cast<size_t>(count));
  std::iota(result.begin(), result.end(), int64_t{0});
  return result;
}

Dims Shuffled(ChoiceSource& choose, int64_t count) {
  Dims order = Iotas(count);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[choose.Below(i)]);
  return order;
}

Dims Without(const Dims& dims, int64_t position) {
  Dims rest = dims;
  rest.erase(rest.begin() + position);
  return rest;
}

Dims With(Dims dims, int64_t position, int64_t size) {
  dims[static_cast<size_t>(position)] = size;
  return dims;
}

std::vector<Shape> ShapesOf(const Operands& operands) {
  std::vector<Shape> shapes;
  for (const Instruction* operand : operands) shapes.push_back(operand->shape());
  return shapes;
}

bool HasSideEffects(const Instruction& instruction) {
  switch (RowOf(instruction.opcode()).family) {
    case Family::kRandom:
    case Family::kCollective:
    case Family::kChannel:
    case Family::kAsync:
      return true;
    default:
      return instruction.opcode() == Opcode::kCustomCall;
  }
}

Opcode BinaryOf(const Computation& computation) {
  const Instruction* root = computation.root();
  bool binary = computation.instructions().size() == 3 && root->operand_count() == 2 &&
                RowOf(root->opcode()).family == Family::kElementwiseBinary;
  if (!binary || !root->operand(0).IsParameter() || !root->operand(1).IsParameter() ||
      &root->operand(0) == &root->operand(1)) {
    return Opcode::kParameter;
  }
  return root->opcode();
}

}  // namespace hlocts::generators
