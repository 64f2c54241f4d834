// SPDX-License-Identifier: Apache-2.0
// Rules that sort again, or sort with an additional operand.
#include "generators/metamorphic/rules.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {

namespace {

// Returns false if a comparator uses the partial order of floats, by which NaNs are not sorted.
bool OrdersAll(const Computation& comparator) {
  for (const auto& instruction : comparator.instructions()) {
    if (instruction->opcode() != Opcode::kCompare ||
        !IsFloat(instruction->operand(0).shape().element_type()))
      continue;
    if (instruction->WordOr(Attr::kType, "") != "TOTALORDER") return false;
  }
  return true;
}

}  // namespace

// Sorts a second time. A sort of several operands must be stable for this.
bool SortTwice(Site& s) {
  if (s.opcode() != Opcode::kSort || !OrdersAll(*s.at->CalledComputation(Attr::kToApply)))
    return false;
  bool one = s.at->operand_count() == 1;
  if (!one && !s.at->BoolOr(Attr::kIsStable, false)) return false;
  Operands sorted;
  for (int64_t i = 0; i < s.at->operand_count(); ++i) {
    sorted.push_back(one ? s.at : s.Element(s.at, i));
  }
  return s.Use(s.Again(sorted, s.shape()));
}

bool SortWithPlaces(Site& s) {
  if (s.opcode() != Opcode::kSort || s.at->operand_count() != 1) return false;
  constexpr PrimitiveType kPlace = PrimitiveType::kS32;
  int64_t d = s.at->IntList(Attr::kDimensions)[0];
  const Shape key = Shape::Scalar(s.type()), place = Shape::Scalar(kPlace);
  const Computation& old = *s.at->CalledComputation(Attr::kToApply);
  Computation* comparator =
      s.Define("comparator", {key, key, place, place}, [&](const Operands& p) {
        return s.Inlined(old, {p[0], p[1]});
      });
  Instruction* both = s.Again({s.operand(0), s.Iota(kPlace, s.dims(), d)}, Shape(),
                              s.AttributesWith(Attr::kToApply, comparator));
  return s.Use(s.Element(both, 0));
}

}  // namespace hlocts::generators
