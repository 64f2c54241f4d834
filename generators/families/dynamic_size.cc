// SPDX-License-Identifier: Apache-2.0
// Generates set-dimension-size and get-dimension-size, and negates or sums dynamic arrays. No other
// operation gets dynamic operands, because the run-time sizes of two operands may differ.
#include "generators/families/reducers.h"
#include "generators/op_generators.h"

namespace hlocts::generators {
namespace {

// Draws a size in [0, bound]; the documents define no other sizes.
Value* DrawRuntimeSize(ModuleWriter& w, int64_t bound) {
  PrimitiveType type = PrimitiveType::kS32;
  double most = static_cast<double>(bound);
  if (w.choose.Below(2))
    return w.ScalarConstant(type, static_cast<double>(w.choose.Range(0, bound)));
  if (w.plan.checked()) return w.FindOrMake(type, {}, {0, most, false});
  Value* any = w.FindOrMake(type, {});
  return w.Emit(Opcode::kClamp, Shape::Scalar(type),
                {w.ScalarConstant(type, 0), any, w.ScalarConstant(type, most)});
}

Value* EmitDynamic(ModuleWriter& w, PrimitiveType type, const Dims& dims, int64_t dimension) {
  const bool parameter = w.choose.Below(2) != 0 && w.plan.dynamic_parameters;
  if (parameter) return w.DynamicParameter(type, dims, dimension);
  Value* operand = w.FindOrMake(type, dims);
  Shape shape(type, dims);
  shape.set_dynamic_dimension(dimension, true);
  ValueFacts facts = operand->facts;
  facts.unique = false;
  Value* set = w.Emit(Opcode::kSetDimensionSize, shape,
                      {operand, DrawRuntimeSize(w, dims[dimension])}, facts);
  set->instruction->Set(Attr::kDimensions, Dims{dimension});
  return set;
}

void EmitSize(ModuleWriter& w, Value* of, int64_t dimension) {
  double bound = static_cast<double>(of->dims()[static_cast<size_t>(dimension)]);
  Value* size = w.Emit(Opcode::kGetDimensionSize, Shape::Scalar(PrimitiveType::kS32), {of},
                       RangeFacts(0, bound, true));
  size->instruction->Set(Attr::kDimensions, Dims{dimension});
}

void EmitSum(ModuleWriter& w, Value* dynamic, int64_t dimension) {
  ReducerRow add = {Opcode::kAdd, 0};
  Dims kept = dynamic->dims();
  int64_t count = kept[dimension];
  Requirement demand = ReducerRequirement(w, add, dynamic->type(), count);
  if (w.plan.checked() && !dynamic->facts.Within(demand.low, demand.high)) return;
  kept.erase(kept.begin() + dimension);
  Value* sum = w.Emit(Opcode::kReduce, Shape(dynamic->type(), kept),
                      {dynamic, w.ScalarConstant(dynamic->type(), 0)},
                      ReducedFacts(w, add, dynamic->type(), dynamic->facts, count));
  sum->instruction->Set(Attr::kDimensions, Dims{dimension});
  sum->instruction->Set(Attr::kToApply, w.Reducer(Opcode::kAdd, dynamic->type()));
}

}  // namespace

bool GenerateDynamicSize(ModuleWriter& w, Opcode opcode) {
  if (w.depth() > 0 || !Contains(w.plan.allowed, PrimitiveType::kS32)) return false;
  PrimitiveType type = w.DrawType(GeneratedTypes(opcode));
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims(1);
  int64_t dimension = w.choose.Range(0, static_cast<int64_t>(dims.size()) - 1);
  if (opcode == Opcode::kGetDimensionSize && w.choose.Below(2)) {
    EmitSize(w, w.FindOrMake(type, dims), dimension);
    return true;
  }
  Value* dynamic = EmitDynamic(w, type, dims, dimension);
  dynamic->hidden = true;
  bool negated = w.choose.OneIn(3) && Contains(RowOf(Opcode::kNegate).types, type) &&
                 (!w.plan.checked() || IsSigned(type) || IsFloat(type));
  if (negated) {
    ValueFacts facts =
        RangeFacts(-dynamic->facts.high, -dynamic->facts.low, dynamic->facts.integral);
    dynamic = w.Emit(Opcode::kNegate, dynamic->shape(), {dynamic}, w.Satisfy(type, facts));
    dynamic->hidden = true;
  }
  if (opcode == Opcode::kGetDimensionSize || w.choose.OneIn(3)) {
    EmitSize(w, dynamic, w.choose.Range(0, static_cast<int64_t>(dims.size()) - 1));
  }
  bool sums = type != PrimitiveType::kPred && !IsComplex(type) && type != PrimitiveType::kF8E8M0FNU;
  if (sums && w.choose.Below(2)) EmitSum(w, dynamic, dimension);
  return true;
}

}  // namespace hlocts::generators
