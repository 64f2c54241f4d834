// SPDX-License-Identifier: Apache-2.0
// Breaks a requirement on an opcode in spec/ops, breaks the clause about its result, or makes it
// call a computation with the wrong signature.
#include <iterator>

#include "generators/negative_rows.h"
#include "spec/ir/module.h"
#include "spec/ops/op_facts.h"
#include "spec/ops/op_table.h"

namespace hlocts::generators {
namespace {

bool OperandOfAnotherType(Instruction& i) {
  static constexpr PrimitiveType kTypes[] = {PrimitiveType::kF32, PrimitiveType::kS32,
                                             PrimitiveType::kPred, PrimitiveType::kC64,
                                             PrimitiveType::kU64};
  if (i.operand_count() == 0) return false;
  const Shape& operand = i.operand(0).shape();
  TypeSet types = RowOf(i.opcode()).types;
  for (PrimitiveType type : kTypes) {
    if (Contains(types, type) || !operand.IsArray()) continue;
    ReplaceOperand(i, 0, Shape(type, operand.dimensions()));
    return true;
  }
  if (Contains(types, PrimitiveType::kTuple)) return false;
  ReplaceOperand(i, 0, Shape::Tuple({}));
  return true;
}

bool OperandTooMany(Instruction& i) {
  i.mutable_operands().push_back(i.operands().back());
  return true;
}

// Removes a called computation. No other required attribute can be missing in the proto form, in
// which an absent number is 0.
bool ComputationLost(Instruction& i) {
  for (const AttributeUse& use : RowOf(i.opcode()).attribute_uses()) {
    if (!use.required || !i.CalledComputation(use.attr)) continue;
    i.Remove(use.attr);
    return true;
  }
  return false;
}

bool NoPermutation(Instruction& i) {
  Shape& shape = i.mutable_shape();
  if (!shape.IsArray() || shape.rank() == 0) return false;
  Layout layout;
  layout.minor_to_major.assign(static_cast<size_t>(shape.rank()), shape.rank() == 1 ? 1 : 0);
  shape.mutable_layout() = layout;
  return true;
}
bool NegativeSize(Instruction& i) {
  Shape& shape = i.mutable_shape();
  if (!shape.IsArray() || shape.rank() == 0) return false;
  shape.set_dimension(0, -1);
  return true;
}

bool ResultGrows(Instruction& i) { return Grow(i.mutable_shape()); }
bool ResultOfAnotherType(Instruction& i) {
  PrimitiveType type = i.shape().element_type();
  i.mutable_shape().set_element_type(type == PrimitiveType::kF32 ? PrimitiveType::kS32
                                                                 : PrimitiveType::kF32);
  return true;
}
bool BitsGrow(Instruction& i) {
  return BitWidth(i.shape().element_type()) == BitWidth(i.operand(0).shape().element_type()) &&
         ResultGrows(i);
}
bool HalfOfAComplex(Instruction& i) {
  if (IsComplex(i.operand(0).shape().element_type()) ||
      BitWidth(i.operand(0).shape().element_type()) == 64)
    return false;
  i.mutable_shape().set_element_type(PrimitiveType::kC64);
  return true;
}
bool NarrowerThanTheSum(Instruction& i) {
  PrimitiveType type = i.operand(0).shape().element_type();
  if (IsInteger(type) && BitWidth(type) <= 8) return false;
  if (type == PrimitiveType::kPred) return false;
  bool complex = IsComplex(type), integer = IsInteger(type);
  i.mutable_shape().set_element_type(complex   ? PrimitiveType::kF32
                                     : integer ? PrimitiveType::kS8
                                               : PrimitiveType::kS32);
  return true;
}

// Returns true for opcodes that ResultGrows must not change: channel operations, whose shape the
// other end defines, and bitcast-convert, which has rows in kCallRows.
bool IsResultDefinedElsewhere(Opcode opcode) {
  const Family family = RowOf(opcode).family;
  return opcode == Opcode::kBitcastConvert || family == Family::kChannel;
}
// Rows for results that have no clause in ResultClauseOf, but that the verifier checks.
constexpr BreakRow kUndocumentedResults[] = {
    {Opcode::kConstant, "hlo.constant", ResultGrows},
    {Opcode::kCopy, "hlo.result_shape", ResultGrows},
    {Opcode::kFusion, "hlo.result_shape", ResultGrows},
    {Opcode::kReshape, "reshape.9", ResultGrows},
};

template <Attr kAttr>
bool CallsAnother(Instruction& i) {
  return CallAnother(i, kAttr);
}
template <Attr kFrom, Attr kTo>
bool OneForBoth(Instruction& i) {
  Computation *computation = i.CalledComputation(kFrom), *replaced = i.CalledComputation(kTo);
  if (!computation || !replaced) return false;
  // If both results have the same shape (two preds), the result would not break the rule.
  if (computation->root()->shape().CompatibleWith(replaced->root()->shape())) return false;
  i.Set(kTo, computation);
  return true;
}
bool OneBranchOperandLess(Instruction& i) {
  if (i.operand_count() < 3) return false;
  i.mutable_operands().pop_back();
  return true;
}
bool OneArgumentMore(Instruction& i) {
  if (i.operand_count() == 0) return false;
  return OperandTooMany(i);
}
bool BranchOfSeveralParameters(Instruction& i) {
  if (!i.CalledComputation(Attr::kFalseComputation)) return false;
  for (const auto& other : i.parent()->parent()->computations()) {
    if (other.get() == i.parent()) return false;
    if (other->parameters().size() == 1) continue;
    i.Set(Attr::kFalseComputation, other.get());
    return true;
  }
  return false;
}
bool OtherParameters(const Computation& a, const Computation& b) {
  std::vector<Instruction*> of_a = a.parameters(), of_b = b.parameters();
  if (of_a.size() != of_b.size()) return true;
  for (size_t i = 0; i < of_a.size(); ++i) {
    if (!of_a[i]->shape().CompatibleWith(of_b[i]->shape())) return true;
  }
  return false;
}

bool NothingToJoin(Instruction& i) {
  i.mutable_operands().clear();
  return true;
}
// Makes the root subtract operands of type pred, for which subtract is not defined.
bool DifferenceOfTruthValues(Instruction& i) {
  if (i.operand(0).shape().element_type() != PrimitiveType::kPred) return false;
  i.set_opcode(Opcode::kSubtract);
  return true;
}
bool CountsInTruthValues(Instruction& i) {
  i.mutable_shape().set_element_type(PrimitiveType::kPred);
  return true;
}
template <bool kNormal>
bool DrawsAnother(Instruction& i) {
  if ((i.WordOr(Attr::kDistribution, "") == "rng_normal") != kNormal) return false;
  i.mutable_shape().set_element_type(kNormal ? PrimitiveType::kS32 : PrimitiveType::kC64);
  return true;
}

constexpr BreakRow kCallRows[] = {
    {Opcode::kConcatenate, "concatenate.6", NothingToJoin},
    {Opcode::kXor, "elementwise_binary.40", DifferenceOfTruthValues},
    {Opcode::kAnd, "elementwise_binary.40", DifferenceOfTruthValues},
    {Opcode::kIota, "iota.5", CountsInTruthValues},
    {Opcode::kRng, "rng_normal.4", DrawsAnother<true>},
    {Opcode::kRng, "rng_uniform.2", DrawsAnother<false>},
    {Opcode::kCall, "call.6", OneArgumentMore},
    {Opcode::kFusion, "hlo.fusion", OneArgumentMore},
    {Opcode::kWhile, "while.2", OneForBoth<Attr::kBody, Attr::kCondition>},
    {Opcode::kWhile, "while.3", OneForBoth<Attr::kCondition, Attr::kBody>},
    {Opcode::kWhile, "while.2", CallsAnother<Attr::kCondition>},
    {Opcode::kWhile, "while.3", CallsAnother<Attr::kBody>},
    {Opcode::kConditional, "conditional.19", OneBranchOperandLess},
    {Opcode::kConditional, "conditional.23", BranchOfSeveralParameters},
    {Opcode::kReduce, "reduce.5", CallsAnother<Attr::kToApply>},
    {Opcode::kReduceWindow, "reduce_window.9", CallsAnother<Attr::kToApply>},
    {Opcode::kScatter, "scatter.7", CallsAnother<Attr::kToApply>},
    {Opcode::kMap, "map.7", CallsAnother<Attr::kToApply>},
    {Opcode::kSort, "sort.16", CallsAnother<Attr::kToApply>},
    {Opcode::kAllReduce, "all_reduce.4", CallsAnother<Attr::kToApply>},
    {Opcode::kReduceScatter, "reduce_scatter.5", CallsAnother<Attr::kToApply>},
    {Opcode::kSelectAndScatter, "select_and_scatter.18", OneForBoth<Attr::kScatter, Attr::kSelect>},
    {Opcode::kSelectAndScatter, "select_and_scatter.24", OneForBoth<Attr::kSelect, Attr::kScatter>},
    {Opcode::kBroadcast, "broadcast_in_dim.1", ResultOfAnotherType},
    {Opcode::kBitcastConvert, "bitcast_convert_type.8", BitsGrow},
    {Opcode::kBitcastConvert, "bitcast_convert_type.2", HalfOfAComplex},
    {Opcode::kDot, "hlo.preferred_element_type", NarrowerThanTheSum},
    {Opcode::kConvolution, "hlo.preferred_element_type", NarrowerThanTheSum},
};

void AddRowsOf(Opcode opcode, std::vector<BreakRow>& rows) {
  const OpRow& row = RowOf(opcode);
  if (row.arity_max > 0)
    rows.push_back({opcode, TypeClauseOf(opcode).data(), OperandOfAnotherType});
  if (row.arity_max > 0 && row.arity_max != kVariadic)
    rows.push_back({opcode, "hlo.arity", OperandTooMany});
  rows.push_back({opcode, "hlo.attribute", ComputationLost});
  rows.push_back({opcode, "layouts.7", NoPermutation});
  if (opcode != Opcode::kConstant) rows.push_back({opcode, "hlo.shape", NegativeSize});
  if (ResultClauseOf(opcode) != "hlo.result_shape" && !IsResultDefinedElsewhere(opcode))
    rows.push_back({opcode, ResultClauseOf(opcode).data(), ResultGrows});
}

}  // namespace

bool CallAnother(Instruction& caller, Attr attr) {
  Computation* called = caller.CalledComputation(attr);
  if (!called) return false;
  for (const auto& other : caller.parent()->parent()->computations()) {
    if (other.get() == caller.parent()) return false;
    if (!OtherParameters(*other, *called)) continue;
    caller.Set(attr, other.get());
    return true;
  }
  return false;
}

bool Grow(Shape& shape) {
  if (shape.IsTuple())
    return !shape.tuple_shapes().empty() && Grow(shape.mutable_tuple_shapes()[0]);
  if (!shape.IsArray()) return false;
  if (shape.rank() == 0) {
    shape = Shape(shape.element_type(), {2});
    return true;
  }
  // The new shape must have another number of elements.
  for (int64_t d = 1; d < shape.rank(); ++d) {
    if (shape.dimension(d) == 0) return false;
  }
  shape.set_dimension(0, shape.dimension(0) + 1);
  return true;
}

std::vector<BreakRow> RowBreaks() {
  std::vector<BreakRow> rows(std::begin(kCallRows), std::end(kCallRows));
  rows.insert(rows.end(), std::begin(kUndocumentedResults), std::end(kUndocumentedResults));
  for (Opcode opcode : AllOpcodes()) AddRowsOf(opcode, rows);
  return rows;
}

}  // namespace hlocts::generators
