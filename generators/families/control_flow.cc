// SPDX-License-Identifier: Apache-2.0
// Generates call, fusion, conditional, while, opt-barrier and tuple. Facts about operands are also
// facts about the parameters of called computations. Every iteration keeps the state of a loop in
// the same range.
#include <cmath>

#include "generators/module_writer.h"
#include "generators/op_generators.h"

namespace hlocts::generators {
namespace {

using Parameters = std::vector<ModuleWriter::Parameter>;

bool TooDeep(ModuleWriter& w) { return w.scalars_only() || w.depth() >= w.plan.nesting; }

Terms DrawOperands(ModuleWriter& w) {
  Terms operands;
  for (int64_t count = w.choose.Range(1, 3); count > 0; --count) {
    PrimitiveType type = w.DrawType(~TypeSet{0});
    if (type != PrimitiveType::kInvalid) operands.push_back(w.FindOrMake(type, w.DrawDims()));
  }
  return operands;
}

Parameters ParametersOf(ModuleWriter& w, const Terms& operands) {
  Parameters parameters;
  for (Value* operand : operands) {
    parameters.push_back({operand->shape(), operand->facts});
    // Facts about the bits of this operand may be false for the operand of another call.
    ValueFacts& facts = parameters.back().facts;
    facts.unique = facts.bits_known = false;
    if (!w.plan.exact() && IsFloat(operand->type())) facts.integral = false;
    // Another call's predicate cannot be clamped, so it may have any value.
    if (operand->type() == PrimitiveType::kPred) facts = WholeRange(PrimitiveType::kPred);
  }
  return parameters;
}

std::vector<Shape> ShapesOf(const Terms& terms) {
  std::vector<Shape> shapes;
  for (Value* term : terms) shapes.push_back(term->shape());
  return shapes;
}

// The root of a random computation: its shape and the facts about its arrays.
struct Grown {
  Shape shape;
  std::vector<ValueFacts> facts;  // one per array; several if the root is a tuple
};

Value* GrowRoot(ModuleWriter& w, Grown* grown) {
  w.Grow(static_cast<int>(w.choose.Range(1, 4)));
  Terms unused = w.Unused();
  if (unused.size() < 2 || w.choose.Below(3) != 2) {
    Value* root = w.Newest();
    *grown = {root->shape(), {root->facts}};
    return root;
  }
  if (unused.size() > 3) unused.erase(unused.begin(), unused.end() - 3);
  for (Value* term : unused) grown->facts.push_back(term->facts);
  grown->shape = Shape::Tuple(ShapesOf(unused));
  return w.Emit(Opcode::kTuple, grown->shape, unused);
}

// Emits the caller and makes the arrays that it returns available as operands.
Value* EmitCaller(ModuleWriter& w, Opcode opcode, const Terms& operands, const Grown& grown) {
  Value* caller =
      w.Emit(opcode, grown.shape, operands, grown.shape.IsTuple() ? ValueFacts() : grown.facts[0]);
  if (grown.shape.IsTuple()) w.Elements(caller, grown.facts);
  return caller;
}

void EmitCall(ModuleWriter& w, Opcode opcode, const Terms& operands, const Grown& grown,
              Computation* body) {
  bool fused = opcode == Opcode::kFusion;
  Instruction* caller = EmitCaller(w, opcode, operands, grown)->instruction;
  if (fused) caller->Set(Attr::kKind, Word{"kLoop"});
  caller->Set(fused ? Attr::kCalls : Attr::kToApply, body);
}

Terms OtherOperands(ModuleWriter& w, const Parameters& parameters) {
  Terms operands;
  for (const ModuleWriter::Parameter& parameter : parameters) {
    Requirement demand = {parameter.facts.low, parameter.facts.high, false};
    operands.push_back(
        w.FindOrMake(parameter.shape.element_type(), parameter.shape.dimensions(), demand));
  }
  return operands;
}

}  // namespace

bool GenerateCall(ModuleWriter& w, Opcode opcode) {
  if (TooDeep(w)) return false;
  Terms operands = DrawOperands(w);
  Grown grown;
  bool fused = opcode == Opcode::kFusion;
  // A fusion is one kernel: it contains no collective, and no other caller uses its computation.
  auto runs = fused ? ModuleWriter::Runs::kMaybeConditional : ModuleWriter::Runs::kUnconditional;
  Parameters parameters = ParametersOf(w, operands);
  Computation* body = w.Define(
      fused ? "fused" : "called", parameters, [&](const Terms&) { return GrowRoot(w, &grown); },
      runs);
  EmitCall(w, opcode, operands, grown, body);
  // Calls the computation again with other operands that satisfy the same facts.
  if (!fused && w.choose.OneIn(3)) EmitCall(w, opcode, OtherOperands(w, parameters), grown, body);
  return true;
}

bool GenerateConditional(ModuleWriter& w, Opcode) {
  if (TooDeep(w)) return false;
  bool two_way = w.choose.Below(2) == 0 || !Contains(w.plan.types, PrimitiveType::kS32);
  int64_t branches = two_way ? 2 : w.choose.Range(1, 4);
  Value* selector =
      two_way ? w.FindOrMake(PrimitiveType::kPred, {}) : w.Index(PrimitiveType::kS32, branches - 1);
  Terms operands = {selector};
  std::vector<Computation*> computations;
  Shape result;
  ValueFacts facts;
  for (int64_t b = 0; b < branches; ++b) {
    PrimitiveType type = w.DrawType(~TypeSet{0});
    operands.push_back(w.FindOrMake(type, w.DrawDims()));
    computations.push_back(
        w.Define("branch", ParametersOf(w, {operands.back()}), [&](const Terms&) {
          w.Grow(static_cast<int>(w.choose.Range(1, 3)));
          Value* root =
              b == 0 ? w.Newest() : w.FindOrMake(result.element_type(), result.dimensions());
          result = root->shape();
          facts = b == 0 ? root->facts : Join(facts, root->facts);
          return root;
        }));
  }
  facts.unique = false;
  Value* conditional = w.Emit(Opcode::kConditional, result, operands, facts);
  if (two_way) {
    conditional->instruction->Set(Attr::kTrueComputation, computations[0]);
    conditional->instruction->Set(Attr::kFalseComputation, computations[1]);
  } else {
    conditional->instruction->Set(Attr::kBranchComputations, computations);
  }
  return true;
}

namespace {

// The counter's start, step and end. The step may be negative, and need not divide end - start.
struct Trips {
  PrimitiveType type;
  int64_t start, step, end;
  absl::string_view direction = "LT";

  double low() const { return static_cast<double>(std::min(start, end) - std::abs(step)); }
  double high() const { return static_cast<double>(std::max(start, end) + std::abs(step)); }
};

// Sometimes draws another form of the loop: NE or LE instead of LT, or counting downwards.
void DrawDirection(ModuleWriter& w, Trips& trips) {
  uint64_t way = w.choose.Below(6);
  const bool meets = (trips.end - trips.start) % trips.step == 0;
  if (way == 5 && IsSigned(trips.type)) {
    std::swap(trips.start, trips.end);
    trips.step = -trips.step;
    trips.direction = meets && w.choose.Below(2) ? "NE" : "GT";
  }
  if (way == 4) {
    trips.direction = "LE";
    if (trips.end > trips.start) --trips.end;
  }
  if (way == 3 && meets) trips.direction = "NE";
}

Trips DrawTrips(ModuleWriter& w) {
  static constexpr PrimitiveType kCounters[] = {PrimitiveType::kS32, PrimitiveType::kS64,
                                                PrimitiveType::kU32, PrimitiveType::kS8};
  Trips trips = {kCounters[w.choose.Weighted({6, 2, 1, 1})], 0, 1, 0};
  trips.start = w.choose.Range(0, 2);
  trips.step = w.choose.Range(1, 3);
  trips.end = trips.start + w.choose.Range(0, w.depth() == 0 && w.choose.OneIn(8) ? 60 : 5);
  DrawDirection(w, trips);
  return trips;
}

Requirement StateRange(ModuleWriter& w, PrimitiveType type) {
  if (!w.plan.checked() || !(IsFloat(type) || IsComplex(type))) return {};
  double bound = std::min(4.0, std::floor(w.Limit(type)));
  return {-bound, bound, false};
}

ValueFacts StateFacts(ModuleWriter& w, PrimitiveType type) {
  Requirement range = StateRange(w, type);
  if (!w.plan.checked()) return {};
  if (std::isinf(range.low)) return WholeRange(type);
  return RangeFacts(range.low, range.high, w.plan.exact());
}

Computation* DefineCondition(ModuleWriter& w, const Trips& trips, const Shape& state,
                             const std::vector<ValueFacts>& facts) {
  return w.Define("condition", {{state, {}}}, [&](const Terms& p) {
    Value* counter = w.Elements(p[0], facts)[0];
    Value* less = w.Emit(Opcode::kCompare, Shape::Scalar(PrimitiveType::kPred),
                         {counter, w.ScalarConstant(trips.type, static_cast<double>(trips.end))});
    less->instruction->Set(Attr::kDirection, Word{std::string(trips.direction)});
    return less;
  });
}

// Reads the row of the carried value that belongs to this iteration, as in a scan.
void CutRow(ModuleWriter& w, Value* counter, Value* carried) {
  if (carried->dims().empty()) return;
  Dims row = carried->dims();
  row[0] = std::min<int64_t>(row[0], 1);
  Terms operands = {carried, counter};
  for (size_t d = 1; d < row.size(); ++d) operands.push_back(w.ScalarConstant(counter->type(), 0));
  ValueFacts facts = carried->facts;
  facts.unique = false;
  Value* slice = w.Emit(Opcode::kDynamicSlice, Shape(carried->type(), row), operands, facts);
  slice->instruction->Set(Attr::kDynamicSliceSizes, row);
}
// Replaces the row of the carried value that belongs to this iteration.
Value* PutRow(ModuleWriter& w, Value* counter, Value* carried, const Requirement& demand) {
  Dims row = carried->dims();
  row[0] = std::min<int64_t>(row[0], 1);
  Terms operands = {carried, w.FindOrMake(carried->type(), row, demand), counter};
  for (size_t d = 1; d < row.size(); ++d) operands.push_back(w.ScalarConstant(counter->type(), 0));
  return w.Emit(Opcode::kDynamicUpdateSlice, Shape(carried->type(), carried->dims()), operands,
                Join(carried->facts, operands[1]->facts));
}

// Returns a value for the next iteration: `carried`, `carried` with one row replaced, or any value.
Value* NextOf(ModuleWriter& w, Value* counter, Value* carried) {
  Requirement range = StateRange(w, carried->type());
  uint64_t way = w.choose.Below(6);
  if (way == 5) return carried;
  if (way == 4 && !carried->dims().empty()) return PutRow(w, counter, carried, range);
  return w.FindOrMake(carried->type(), carried->dims(), range);
}

Computation* DefineBody(ModuleWriter& w, const Trips& trips, const Shape& state,
                        const std::vector<ValueFacts>& facts) {
  return w.Define(
      "body", {{state, {}}},
      [&](const Terms& p) {
        Terms elements = w.Elements(p[0], facts);
        Value* step = w.ScalarConstant(trips.type, static_cast<double>(trips.step));
        Value* next =
            w.Emit(Opcode::kAdd, Shape::Scalar(trips.type), {elements[0], step}, facts[0]);
        next->hidden = elements[0]->hidden = false;
        if (w.choose.OneIn(3)) CutRow(w, elements[0], elements[1]);
        w.Grow(static_cast<int>(w.choose.Range(1, 4)));
        Terms results = {next};
        for (size_t i = 1; i < elements.size(); ++i)
          results.push_back(NextOf(w, elements[0], elements[i]));
        return w.Emit(Opcode::kTuple, state, results);
      },
      ModuleWriter::Runs::kUnconditional);
}

// Generates a loop whose state is one number of any type that counts up to a limit. For a complex
// number, the condition compares the real part.
bool GenerateCount(ModuleWriter& w) {
  PrimitiveType type = w.DrawType(GeneratedTypes(Opcode::kWhile));
  if (type == PrimitiveType::kInvalid) return false;
  // A type without zero or sign counts by doubling.
  const ValueFacts whole = WholeRange(type);
  bool doubles = whole.low > 0;
  double start = doubles ? 1 : std::max(-1.0, whole.low), end = start;
  for (int64_t trips = w.choose.Range(0, 3); trips > 0; --trips) {
    double next = doubles ? 2 * end : end + 1;
    if (next <= whole.high) end = next;
  }
  // The only values of s1 are -1 and 0. Its step is -1, since -1 plus -1 wraps to 0.
  const double step = doubles ? 2 : whole.high < 1 ? -1 : 1;
  const ValueFacts facts = RangeFacts(std::min(start, 0.0), std::max(end, 0.0), true);
  std::vector<ModuleWriter::Parameter> state = {{Shape::Scalar(type), facts}};
  Computation* condition = w.Define("condition", state, [&](const Terms& p) {
    const PrimitiveType real = ComponentType(type);
    Value* counter = IsComplex(type) ? w.Emit(Opcode::kReal, Shape::Scalar(real), {p[0]}) : p[0];
    Value* goes_on = w.Emit(Opcode::kCompare, Shape::Scalar(PrimitiveType::kPred),
                            {counter, w.ScalarConstant(real, end)});
    goes_on->instruction->Set(Attr::kDirection, Word{"LT"});
    return goes_on;
  });
  auto count = [&](const Terms& p) {
    Opcode opcode = doubles ? Opcode::kMultiply : Opcode::kAdd;
    return w.Emit(opcode, Shape::Scalar(type), {p[0], w.ScalarConstant(type, step)});
  };
  Computation* body = w.Define("body", state, count, ModuleWriter::Runs::kUnconditional);
  Value* loop = w.Emit(Opcode::kWhile, Shape::Scalar(type), {w.ScalarConstant(type, start)}, facts);
  loop->instruction->Set(Attr::kCondition, condition);
  loop->instruction->Set(Attr::kBody, body);
  return true;
}

Value* FirstElement(ModuleWriter& w, Value* array) {
  if (array->dims().empty()) return array;
  Dims ones(array->dims().size(), 1);
  Value* slice = w.Emit(Opcode::kSlice, Shape(array->type(), ones), {array}, Moved(*array));
  SliceRanges ranges;
  for (size_t d = 0; d < ones.size(); ++d) ranges.dimensions.push_back({0, 1, 1});
  slice->instruction->Set(Attr::kSlice, ranges);
  return w.Emit(Opcode::kReshape, Shape::Scalar(array->type()), {slice}, Moved(*array));
}

// Generates a loop whose state is one array with any values. It runs until the first element is 1;
// the first iteration sets that element to 1.
bool GenerateReset(ModuleWriter& w) {
  PrimitiveType type = w.DrawType(GeneratedTypes(Opcode::kWhile));
  Dims dims = w.DrawDims();
  if (type == PrimitiveType::kInvalid || ElementsOf(dims) == 0) return false;
  const double end = std::min(1.0, WholeRange(type).high);
  Value* init = w.FindOrMake(type, dims);
  ValueFacts facts = Join(init->facts, RangeFacts(std::min(end, 0.0), std::max(end, 0.0), true));
  std::vector<ModuleWriter::Parameter> state = {{Shape(type, dims), facts}};
  Computation* condition = w.Define("condition", state, [&](const Terms& p) {
    Value* differs = w.Emit(Opcode::kCompare, Shape::Scalar(PrimitiveType::kPred),
                            {FirstElement(w, p[0]), w.ScalarConstant(type, end)});
    differs->instruction->Set(Attr::kDirection, Word{"NE"});
    return differs;
  });
  Computation* body = w.Define("body", state, [&](const Terms&) {
    Value* done = w.ScalarConstant(type, end);
    if (dims.empty()) return done;
    Value* all = w.Emit(Opcode::kBroadcast, Shape(type, dims), {done}, done->facts);
    all->instruction->Set(Attr::kDimensions, Dims());
    return all;
  });
  Value* loop = w.Emit(Opcode::kWhile, Shape(type, dims), {init}, facts);
  loop->instruction->Set(Attr::kCondition, condition);
  loop->instruction->Set(Attr::kBody, body);
  return true;
}

}  // namespace

bool GenerateWhile(ModuleWriter& w, Opcode) {
  if (TooDeep(w)) return false;
  switch (w.choose.Weighted({6, 1, 1})) {
    case 1:
      return GenerateCount(w);
    case 2:
      return GenerateReset(w);
    default:
      break;
  }
  Trips trips = DrawTrips(w);
  Terms init = {w.ScalarConstant(trips.type, static_cast<double>(trips.start))};
  std::vector<ValueFacts> facts = {RangeFacts(trips.low(), trips.high(), true)};
  for (int64_t count = w.choose.Range(1, 2); count > 0; --count) {
    PrimitiveType type = w.DrawType(~TypeSet{0});
    if (type == PrimitiveType::kInvalid) return false;
    init.push_back(w.FindOrMake(type, w.DrawDims(), StateRange(w, type)));
    facts.push_back(StateFacts(w, type));
  }
  Shape state = Shape::Tuple(ShapesOf(init));
  Computation* condition = DefineCondition(w, trips, state, facts);
  Computation* body = DefineBody(w, trips, state, facts);
  Value* loop = w.Emit(Opcode::kWhile, state, {w.Emit(Opcode::kTuple, state, init)});
  loop->instruction->Set(Attr::kCondition, condition);
  loop->instruction->Set(Attr::kBody, body);
  w.Elements(loop, facts);
  return true;
}

bool GenerateTuple(ModuleWriter& w, Opcode) {
  if (w.scalars_only()) return false;
  Terms operands = DrawOperands(w);
  std::vector<ValueFacts> facts;
  for (Value* operand : operands) facts.push_back(operand->facts);
  Shape shape = Shape::Tuple(ShapesOf(operands));
  Value* tuple = w.Emit(Opcode::kTuple, shape, operands);
  if (w.choose.OneIn(4)) tuple = w.Emit(Opcode::kOptBarrier, shape, {tuple});
  w.Elements(tuple, facts);
  return true;
}

}  // namespace hlocts::generators
