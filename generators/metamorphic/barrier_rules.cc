// SPDX-License-Identifier: Apache-2.0
// Rules that add or remove barriers across which compilers do not fuse.
#include "generators/metamorphic/rules.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {
namespace {

bool CanBeOutlined(const Site& s) {
  return !IsCarrier(*s.at) && !HasSideEffects(*s.at) && s.shape().IsArray() &&
         s.at->operand_count() > 0;
}

}  // namespace

bool AddBarrier(Site& s) {
  if (!s.shape().IsArray()) return false;
  if (!s.choose.Below(2)) return s.Use(s.Make(Opcode::kOptBarrier, {s.at}));
  Instruction* pair = s.Make(Opcode::kTuple, {s.at, s.Number(PrimitiveType::kS32, 1)});
  return s.Use(s.Element(s.Make(Opcode::kOptBarrier, {pair}), 0));
}

bool OutlineCall(Site& s) {
  if (!CanBeOutlined(s)) return false;
  return s.Use(s.Make(Opcode::kCall, s.at->operands(), {{Attr::kToApply, s.Outlined()}}));
}

bool OutlineFusion(Site& s) {
  Family family = RowOf(s.opcode()).family;
  bool fusible = s.IsElementwise() || family == Family::kMovement || family == Family::kReduction;
  if (!fusible || !CanBeOutlined(s)) return false;
  return s.Use(s.Make(Opcode::kFusion, s.at->operands(),
                      {{Attr::kKind, Word{"kLoop"}}, {Attr::kCalls, s.Outlined()}}));
}

bool InlineCall(Site& s) {
  if (s.opcode() != Opcode::kCall) return false;
  return s.Use(s.Inlined(*s.at->CalledComputation(Attr::kToApply), s.at->operands()));
}

bool ElementwiseAsMap(Site& s) {
  if (!s.IsElementwise() || s.at->operand_count() == 0) return false;
  std::vector<Shape> scalars;
  for (const Instruction* one : s.at->operands()) {
    scalars.push_back(Shape::Scalar(one->shape().element_type()));
  }
  Computation* each = s.Define(
      "each", scalars, [&](const Operands& p) { return s.Again(p, Shape::Scalar(s.type())); });
  return s.Use(s.Make(Opcode::kMap, s.at->operands(),
                      {{Attr::kDimensions, Iotas(s.rank())}, {Attr::kToApply, each}}));
}

bool ThroughTuple(Site& s) {
  Operands values = {s.at, s.Number(PrimitiveType::kF32, 1)};
  int64_t place = s.choose.Range(0, 1);
  if (place == 1) std::swap(values[0], values[1]);
  return s.Use(s.Element(s.Make(Opcode::kTuple, values), place));
}

}  // namespace hlocts::generators
