// SPDX-License-Identifier: Apache-2.0
// Generates sort of one or more operands, and topk.
#include "generators/module_writer.h"
#include "generators/op_generators.h"

namespace hlocts::generators {
namespace {

// Returns a comparator that compares elements of operand `key`. Its parameters 2i and 2i+1 are the
// elements of operand i.
Computation* Comparator(ModuleWriter& w, const Terms& operands, size_t key, bool total_order) {
  std::vector<ModuleWriter::Parameter> parameters;
  for (Value* operand : operands) {
    Shape scalar = Shape::Scalar(operand->type());
    parameters.insert(parameters.end(), 2, {scalar, {}});
  }
  return w.Define("compare", parameters, [&](const Terms& p) {
    Value* less =
        w.Emit(Opcode::kCompare, Shape::Scalar(PrimitiveType::kPred), {p[2 * key], p[2 * key + 1]});
    less->instruction->Set(Attr::kDirection, Word{w.choose.Below(2) ? "GT" : "LT"});
    if (total_order) less->instruction->Set(Attr::kType, Word{"TOTALORDER"});
    return less;
  });
}

}  // namespace

bool GenerateSort(ModuleWriter& w, Opcode) {
  // The types of topk exclude complex numbers, which are not ordered.
  PrimitiveType type = w.DrawType(RowOf(Opcode::kTopk).types);
  if (type == PrimitiveType::kInvalid || w.scalars_only()) return false;
  Dims dims = w.DrawDims(1);
  Terms operands;
  std::vector<Shape> shapes;
  std::vector<ValueFacts> facts;
  int64_t count = w.choose.OneIn(3) ? w.choose.Range(2, 3) : 1;
  // The key is mostly the first operand, as in modules of front ends.
  size_t key = w.choose.OneIn(4) ? static_cast<size_t>(count - 1) : 0;
  for (int64_t i = 0; i < count; ++i) {
    PrimitiveType payload = i == static_cast<int64_t>(key) ? type : w.DrawType(~TypeSet{0});
    operands.push_back(w.FindOrMake(payload, dims));
    shapes.push_back(operands.back()->shape());
    facts.push_back(operands.back()->facts);
  }
  bool floating = IsFloat(type);
  // The total order distinguishes -0 and +0, but the sign of a computed zero is unknown.
  bool total_order =
      floating && (operands[key]->facts.bits_known || !w.plan.exact()) && w.choose.Below(2);
  Computation* comparator = Comparator(w, operands, key, total_order);
  Value* sort = w.Emit(Opcode::kSort, count == 1 ? shapes[0] : Shape::Tuple(shapes), operands,
                       count == 1 ? facts[0] : ValueFacts());
  int64_t dimension = w.choose.Range(0, static_cast<int64_t>(dims.size()) - 1);
  sort->instruction->Set(Attr::kDimensions, Dims{dimension});
  // In the exact stream, a sort of several operands is stable: the order of equal keys is defined.
  if (w.choose.Below(2) || (w.plan.exact() && count > 1))
    sort->instruction->Set(Attr::kIsStable, true);
  sort->instruction->Set(Attr::kToApply, comparator);
  if (count > 1) w.Elements(sort, facts);
  return true;
}

bool GenerateTopk(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(RowOf(Opcode::kTopk).types);
  if (type == PrimitiveType::kInvalid || w.scalars_only()) return false;
  Dims dims = w.DrawDims(1);
  Value* operand = w.FindOrMake(type, dims);
  if (w.plan.exact() && IsFloat(type) && !operand->facts.bits_known) return false;
  int64_t size = dims.back();
  dims.back() = w.choose.Range(0, size);
  Value* topk =
      w.Emit(Opcode::kTopk, Shape::Tuple({Shape(type, dims), Shape(PrimitiveType::kS32, dims)}),
             {operand});
  topk->instruction->Set(Attr::kK, dims.back());
  topk->instruction->Set(Attr::kLargest, w.choose.Below(4) != 3);
  w.Elements(topk, {operand->facts, RangeFacts(0, static_cast<double>(size), true)});
  return true;
}

}  // namespace hlocts::generators
