// SPDX-License-Identifier: Apache-2.0
// Sets of reduce, reduce-window, map, scatter and select-and-scatter: by what the called
// computation is (RULES 1, 2, 11, 12, 14, 15).
#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/sums/reducers.h"
#include "reference/judge/sums/reductions.h"
#include "reference/kernels/gather_scatter.h"
#include "reference/kernels/select_and_scatter.h"
#include "spec/judge/integer_sets.h"

namespace hlocts::reference {
namespace {

Shape LeafShape(const Shape& shape, int64_t i) {
  return shape.IsTuple() ? shape.tuple_shapes()[i] : shape;
}

}  // namespace

absl::StatusOr<SetValue> MapSets(SetInterpreter& interpreter, const Instruction& instruction,
                                 const Shape& shape, absl::Span<const SetValue> operands) {
  Shape lanes = shape.IsTuple() ? shape.tuple_shapes()[0] : shape;
  return interpreter.CallLanes(*instruction.CalledComputation(Attr::kToApply), operands, lanes);
}

absl::StatusOr<SetValue> ReduceSets(SetInterpreter& interpreter, const Instruction& instruction,
                                    const Shape& shape, absl::Span<const SetValue> operands) {
  int64_t count = static_cast<int64_t>(operands.size()) / 2;
  const Computation& body = *instruction.CalledComputation(Attr::kToApply);
  std::vector<RecognizedReducer> reducers = RecognizeEach(body, count);
  if (!reducers.empty()) {
    std::vector<SetValue> results;
    for (int64_t i = 0; i < count; ++i) {
      ReductionOperands one = {interpreter, instruction, LeafShape(shape, i), operands[i].array,
                               operands[count + i].array};
      HLOCTS_ASSIGN_OR_RETURN(SetArray result, ReduceRecognized(one, reducers[i]));
      results.emplace_back(Compress(std::move(result)));
    }
    if (!shape.IsTuple()) return results[0];
    return SetValue::Tuple(std::move(results));
  }
  if (count == 2) {
    if (std::optional<ArgReducer> arg = RecognizeArgReducer(body)) {
      return ReduceArg(interpreter, instruction, shape, operands, *arg);
    }
  }
  return ReduceByEnumeration(interpreter, instruction, shape, operands);
}

namespace {

// ---------------------------------------------------------------- scatter

// How often each element of the operand is updated.
struct ScatterPlan {
  std::vector<std::vector<int64_t>> updates;  // per operand element, in order
  bool broken_promise = false;
  bool partly = false;  // some window lies partly outside
};

std::vector<int64_t> IndexNumbers(const Literal& literal) {
  std::vector<int64_t> values(literal.element_count());
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    Int128 value = PointOf(literal, i).ilo;
    values[i] = value > INT64_MAX ? INT64_MAX : static_cast<int64_t>(value);
  }
  return values;
}

// whole: of windows partly outside nothing is applied, else what lies inside (ruling 0011).
ScatterPlan PlanScatter(const Instruction& scatter, const SetArray& operand, const Literal& indices,
                        const SetArray& updates, bool whole) {
  WindowsGeometry geometry =
      ScatterGeometryOf(scatter, operand.shape().dimensions(), indices.shape().dimensions(),
                        updates.shape().dimensions());
  std::vector<WindowPlace> places = PlacesOf(geometry, IndexNumbers(indices), false);
  ScatterPlan plan;
  plan.updates.resize(operand.element_count());
  for (const WindowPlace& place : places) {
    plan.partly = plan.partly || place.partly;
    if (place.partly && whole) continue;
    ForEachUpdate(geometry, place, [&](int64_t to, int64_t from) {
      plan.updates[to].push_back(from);
      return true;
    });
  }
  if (scatter.BoolOr(Attr::kUniqueIndices, false)) {
    for (const auto& list : plan.updates) plan.broken_promise |= list.size() > 1;
  }
  if (scatter.BoolOr(Attr::kIndicesAreSorted, false)) {
    for (size_t i = 1; i < places.size(); ++i) {
      plan.broken_promise |= places[i].operand_base < places[i - 1].operand_base;
    }
  }
  return plan;
}

// parameter(N+i) of N operands: overwrite.
bool Overwrites(const Computation& body, int64_t count) {
  const Instruction& root = *body.root();
  auto is = [](const Instruction& x, int64_t n) {
    return x.opcode() == Opcode::kParameter && x.parameter_number() == n;
  };
  if (root.opcode() != Opcode::kTuple) return count == 1 && is(root, 1);
  for (int64_t i = 0; i < root.operand_count(); ++i) {
    if (!is(root.operand(i), count + i)) return false;
  }
  return root.operand_count() == count;
}

SetArray OverwriteSets(const SetArray& operand, const SetArray& updates, const ScatterPlan& plan,
                       const Shape& shape, uint32_t origin) {
  std::vector<AcceptanceSet> sets = operand.AsSets();
  int components = operand.components();
  for (size_t i = 0; i < plan.updates.size(); ++i) {
    for (int c = 0; c < components && !plan.updates[i].empty(); ++c) {
      // Any of the updates may be the last (ruling on the order of overwrites).
      AcceptanceSet s = updates.At(plan.updates[i][0], c);
      for (size_t k = 1; k < plan.updates[i].size(); ++k) {
        s = Join(s, updates.At(plan.updates[i][k], c));
        if (!s.IsPoint() && s.cause == WideningCause::kPoint) {
          s.cause = WideningCause::kFreedom;
          s.origin = origin;
        }
      }
      sets[i * components + c] = s;
    }
  }
  SetArray result(shape, std::move(sets));
  result.origin = origin;
  return result;
}

absl::StatusOr<SetValue> ScatterByPlan(SetInterpreter& interpreter, const Instruction& instruction,
                                       const Shape& shape, absl::Span<const SetValue> operands,
                                       const ScatterPlan& plan) {
  int64_t count = static_cast<int64_t>(operands.size()) / 2;
  const Computation& body = *instruction.CalledComputation(Attr::kToApply);
  if (plan.broken_promise)
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kFreedom);
  uint32_t origin = interpreter.OriginOf(
      instruction, interpreter.RuleOf(Opcode::kScatter, operands[0].array.element_type()));
  std::vector<RecognizedReducer> reducers = RecognizeEach(body, count);
  bool overwrite = Overwrites(body, count);
  std::vector<SetValue> results;
  for (int64_t i = 0; i < count; ++i) {
    const SetArray &operand = operands[i].array, &updates = operands[count + 1 + i].array;
    Shape leaf = LeafShape(shape, i);
    if (overwrite) {
      results.emplace_back(Compress(OverwriteSets(operand, updates, plan, leaf, origin)));
    } else if (!reducers.empty()) {
      CombineOperands combine = {interpreter, instruction, leaf, operand, updates, plan.updates};
      HLOCTS_ASSIGN_OR_RETURN(SetArray result, CombineRecognized(combine, reducers[i]));
      results.emplace_back(Compress(std::move(result)));
    } else {
      return CombineByEnumeration(interpreter, instruction, shape, operands, plan.updates);
    }
  }
  if (!shape.IsTuple()) return results[0];
  return SetValue::Tuple(std::move(results));
}

}  // namespace

absl::StatusOr<SetValue> ScatterSets(SetInterpreter& interpreter, const Instruction& instruction,
                                     const Shape& shape, absl::Span<const SetValue> operands) {
  int64_t count = static_cast<int64_t>(operands.size()) / 2;
  const SetArray& indices = operands[count].array;
  if (!indices.exact())
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kJump);
  for (const SetValue& operand : operands) {
    if (!operand.array.runtime_sizes.empty() && !IsExact(operand)) {
      return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
    }
  }
  auto plan_of = [&](bool whole) {
    return PlanScatter(instruction, operands[0].array, indices.literal(), operands[count + 1].array,
                       whole);
  };
  const ScatterPlan plan = plan_of(false);
  HLOCTS_ASSIGN_OR_RETURN(SetValue sets,
                          ScatterByPlan(interpreter, instruction, shape, operands, plan));
  if (!plan.partly || interpreter.profile() == Profile::kStrict) return sets;
  // Outside strict an engine may leave such windows out whole, all of them (ruling 0011).
  HLOCTS_ASSIGN_OR_RETURN(SetValue dropped,
                          ScatterByPlan(interpreter, instruction, shape, operands, plan_of(true)));
  return JoinValues(sets, dropped);
}

namespace {

// ---------------------------------------------------------------- select-and-scatter

// Elements of a window that select may choose: those no other surely beats.
std::vector<int64_t> Candidates(const SetArray& operand, const std::vector<int64_t>& window,
                                bool largest, uint32_t permissions) {
  const FloatFacts* facts =
      IsFloat(operand.element_type()) ? &FactsOf(operand.element_type()) : nullptr;
  auto ends = [&](int64_t i, double& lo, double& hi, bool& wild) {
    AcceptanceSet s = operand.At(i);
    wild = s.unspecified();
    if (s.integer()) {
      lo = static_cast<double>(s.ilo);
      hi = static_cast<double>(s.ihi);
    } else if (!wild) {
      View v = ReadSet(s, *facts, permissions, (permissions & kSkipRounding) != 0);
      wild = v.nan;
      lo = v.neg_inf ? -HUGE_VAL : v.finite ? v.lo : HUGE_VAL;
      hi = v.pos_inf ? HUGE_VAL : v.finite ? v.hi : -HUGE_VAL;
    }
    if (!largest) {
      double old = lo;
      lo = -hi;
      hi = -old;
    }
  };
  double surely = -HUGE_VAL;
  bool any_wild = false;
  for (int64_t i : window) {
    double lo = 0, hi = 0;
    bool wild = false;
    ends(i, lo, hi, wild);
    any_wild = any_wild || wild;
    if (!wild) surely = std::max(surely, lo);
  }
  if (any_wild) return window;  // a NaN: any element of the window
  std::vector<int64_t> candidates;
  for (int64_t i : window) {
    double lo = 0, hi = 0;
    bool wild = false;
    ends(i, lo, hi, wild);
    if (hi >= surely) candidates.push_back(i);
  }
  return candidates;
}

}  // namespace

absl::StatusOr<SetValue> SelectAndScatterSets(SetInterpreter& interpreter,
                                              const Instruction& instruction, const Shape& shape,
                                              absl::Span<const SetValue> operands) {
  const SetArray &operand = operands[0].array, &source = operands[1].array;
  const SetArray& init = operands[2].array;
  SelectRule select = RecognizeSelect(*instruction.CalledComputation(Attr::kSelect));
  std::vector<RecognizedReducer> scatter =
      RecognizeEach(*instruction.CalledComputation(Attr::kScatter), 1);
  bool dynamic = !operand.runtime_sizes.empty() || !source.runtime_sizes.empty();
  if (!select.recognized || scatter.empty() || dynamic) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kFreedom);
  }
  SetContext context =
      interpreter.ContextOf(instruction, operand.element_type(), operand.element_type());
  const std::vector<int64_t>& sizes = operand.shape().dimensions();
  HLOCTS_ASSIGN_OR_RETURN(
      const ReductionTerms windows,
      TermsOf(instruction, sizes, sizes, interpreter.runner().options().memory_bytes_max));
  // Certain selections are updates; a window that may select several makes each of them uncertain.
  std::vector<std::vector<int64_t>> updates(operand.element_count());
  std::vector<std::vector<int64_t>> maybe(operand.element_count());
  for (size_t w = 0; w < windows.terms.size(); ++w) {
    std::vector<int64_t> candidates =
        Candidates(operand, windows.terms[w], select.largest, context.rule.permissions);
    for (int64_t i : candidates) {
      (candidates.size() == 1 ? updates : maybe)[i].push_back(static_cast<int64_t>(w));
    }
  }
  SetArray inits(shape, [&] {
    return std::vector<AcceptanceSet>(shape.ElementCount() * operand.components(), init.At(0));
  }());
  if (operand.components() == 2) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  CombineOperands combine = {interpreter, instruction, shape, inits, source, updates};
  HLOCTS_ASSIGN_OR_RETURN(SetArray certain, CombineRecognized(combine, scatter[0]));
  // Each uncertain window may add to an element or not: join, one after the other.
  std::vector<std::vector<int64_t>> with = updates;
  size_t most = 0;
  for (size_t i = 0; i < maybe.size(); ++i) most = std::max(most, maybe[i].size());
  if (most == 0) return SetValue(Compress(std::move(certain)));
  if (scatter[0] != RecognizedReducer::kAdd || !IsFloat(operand.element_type())) {
    return SetValue(Compress(JoinUncertainUpdates(combine, scatter[0], std::move(certain), maybe)));
  }
  return SetValue(AddUncertainUpdates(combine, maybe));
}

}  // namespace hlocts::reference
