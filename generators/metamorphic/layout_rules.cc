// SPDX-License-Identifier: Apache-2.0
// Rules about layouts and buffers, which do not change values (rulings 0068 and 0081).
#include "generators/metamorphic/rules.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {
namespace {

Shape WithOrder(const Shape& shape, const Dims& minor_to_major) {
  Shape result = shape.WithoutLayout().WithDefaultLayout();
  result.mutable_layout()->minor_to_major = minor_to_major;
  return result;
}

}  // namespace

bool PermuteLayoutAndBack(Site& s) {
  if (!s.shape().IsArray() || s.rank() < 2) return false;
  Instruction* moved =
      s.Make(Opcode::kCopy, {s.at}, {}, WithOrder(s.shape(), Shuffled(s.choose, s.rank())));
  return s.Use(
      s.Make(Opcode::kCopy, {moved}, {}, WithOrder(s.shape(), MajorToMinorOrder(s.rank()))));
}

// Changes the layout of an intermediate value, which is not observable.
bool RelabelLayout(Site& s) {
  if (!s.shape().IsArray() || s.rank() < 2 || IsCarrier(*s.at) || s.IsRoot()) return false;
  if (s.opcode() == Opcode::kBitcast || s.opcode() == Opcode::kGetTupleElement) return false;
  for (const auto& user : s.at->parent()->instructions()) {
    for (const Instruction* operand : user->operands()) {
      if (operand == s.at && user->opcode() == Opcode::kBitcast) return false;
    }
  }
  s.at->mutable_shape() = WithOrder(s.shape(), Shuffled(s.choose, s.rank()));
  return s.Done();
}

bool FlattenAndBack(Site& s) {
  if (!s.shape().IsArray()) return false;
  return s.Use(s.Reshape(s.Reshape(s.at, {s.shape().ElementCount()}), s.dims()));
}

// Lets the result share the memory of a parameter that is not donated, which is not observable.
bool AliasOutput(Site& s) {
  Instruction* root = s.module.entry()->root();
  if (!s.module.input_output_alias.empty() || s.at != root || !root->shape().IsArray())
    return false;
  for (const Instruction* parameter : s.module.entry()->parameters()) {
    if (parameter == root || parameter->shape() != root->shape()) continue;
    s.module.input_output_alias.push_back({{}, parameter->parameter_number(), {}, false});
    return s.Done();
  }
  return false;
}

}  // namespace hlocts::generators
