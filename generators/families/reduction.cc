// SPDX-License-Identifier: Apache-2.0
// Generates reduce and map.

#include "generators/families/reducers.h"
#include "generators/op_generators.h"

namespace hlocts::generators {
namespace {

// Returns `kept` with one or two dimensions inserted. `reduced` receives their positions.
Dims Insert(ModuleWriter& w, const Dims& kept, Dims* reduced) {
  Dims dims = kept;
  for (int64_t count = w.choose.Range(1, 2); count > 0; --count) {
    size_t at = w.choose.Below(dims.size() + 1);
    dims.insert(dims.begin() + static_cast<int64_t>(at), w.DrawSize());
    for (int64_t& d : *reduced) d += d >= static_cast<int64_t>(at) ? 1 : 0;
    reduced->push_back(static_cast<int64_t>(at));
  }
  return dims;
}

}  // namespace

bool GenerateReduce(ModuleWriter& w, Opcode) {
  if (w.scalars_only()) return false;
  PrimitiveType type = w.DrawType(RowOf(Opcode::kReduce).types);
  if (type == PrimitiveType::kInvalid) return false;
  const ReducerRow* row = DrawReducer(w, type);
  if (!row) return false;
  Dims kept = w.DrawDims(0, 2), reduced;
  Dims dims = Insert(w, kept, &reduced);
  if (!w.Fits(dims)) return false;
  int64_t count = 1;
  for (int64_t d : reduced) count *= dims[d];
  if (row->opcode == Opcode::kAdd && IsOpenSum(w, type, static_cast<double>(count))) return false;
  Start start = DrawStart(w, *row, count);
  count = start.count;
  Value* operand = w.FindOrMake(type, dims, ReducerRequirement(w, *row, type, count));
  Value* init = InitOf(w, *row, type, start);
  auto facts = [&](const Value& reduced) {
    return ReducedFacts(w, *row, type,
                        start.neutral ? reduced.facts : Join(reduced.facts, init->facts), count);
  };
  // Reduces two operands at once, with the same operation for each.
  bool pair = w.choose.OneIn(6);
  if (!pair) {
    Value* reduce = w.Emit(Opcode::kReduce, Shape(type, kept), {operand, init}, facts(*operand));
    reduce->instruction->Set(Attr::kDimensions, reduced);
    reduce->instruction->Set(Attr::kToApply, w.Reducer(row->opcode, type));
    return true;
  }
  Value* second = w.FindOrMake(type, dims, ReducerRequirement(w, *row, type, count));
  Value* reduce = w.Emit(Opcode::kReduce, Shape::Tuple({Shape(type, kept), Shape(type, kept)}),
                         {operand, second, init, init});
  reduce->instruction->Set(Attr::kDimensions, reduced);
  reduce->instruction->Set(Attr::kToApply, PairReducer(w, row->opcode, type));
  w.Elements(reduce, {facts(*operand), facts(*second)});
  return true;
}

bool GenerateMap(ModuleWriter& w, Opcode) {
  if (w.scalars_only() || w.depth() >= w.plan.nesting) return false;
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims(), all;
  for (size_t d = 0; d < dims.size(); ++d) all.push_back(static_cast<int64_t>(d));
  Terms operands;
  std::vector<ModuleWriter::Parameter> parameters;
  for (int64_t count = w.choose.Range(1, 2); count > 0; --count) {
    operands.push_back(w.FindOrMake(type, dims));
    ValueFacts facts = operands.back()->facts;
    facts.unique = false;
    parameters.push_back({Shape::Scalar(type), facts});
  }
  ValueFacts facts;
  PrimitiveType result = type;
  Computation* body = w.Define(
      "mapped", parameters,
      [&](const Terms&) {
        w.Grow(static_cast<int>(w.choose.Range(1, 3)));
        Value* root = w.Newest();
        facts = root->facts;
        result = root->type();
        return root;
      },
      ModuleWriter::Runs::kByElement);
  Value* map = w.Emit(Opcode::kMap, Shape(result, dims), operands, facts);
  map->instruction->Set(Attr::kDimensions, all);
  map->instruction->Set(Attr::kToApply, body);
  return true;
}

}  // namespace hlocts::generators
