// SPDX-License-Identifier: Apache-2.0
// Computes the sets of scatter. The method depends on the called computation (lemmas 1, 2, 12). If
// the position of an update is uncertain, each element that it may change is considered (lemma 31).
#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/interpreter/within_sizes.h"
#include "reference/judge/joint/row_choice.h"
#include "reference/judge/sums/reducers.h"
#include "reference/judge/sums/reductions.h"
#include "reference/kernels/gather_scatter.h"
#include "spec/ir/instruction.h"
#include "spec/ir/module.h"
#include "spec/ir/module_fwd.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/choices.h"

namespace hlocts::reference {
namespace {

// The updates that are combined with each element of the operand, where indices may be uncertain
// (lemma 31).
struct ScatterPlan {
  std::vector<std::vector<int64_t>> updates;  // certain updates, in the scatter's order
  std::vector<std::vector<int64_t>> maybe;    // possible updates
  bool violates_attribute = false;
  bool open = false;  // a window has too many possible positions
  bool uncertain = false;
  bool partly = false;  // a window is partly outside the operand
};

// Limits the possible positions of a window. If there are more, any element may have any value.
constexpr size_t kPlacesMax = 16;

// Returns the values that an index may have; empty if there are too many.
std::vector<int64_t> IndexValues(const SetArray& indices, int64_t at) {
  std::vector<int64_t> values;
  for (const AcceptanceSet& s : ChoicesAt(indices, at)) {
    if (s.unspecified() || s.ihi - s.ilo >= static_cast<Int128>(kPlacesMax)) return {};
    for (Int128 value = s.ilo; value <= s.ihi; ++value) {
      values.push_back(value > INT64_MAX ? INT64_MAX : static_cast<int64_t>(value));
    }
    if (values.size() > kPlacesMax) return {};
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Returns the possible starts of the window whose index vector begins at `at`; empty if too many.
std::vector<std::vector<int64_t>> StartsOf(const WindowsGeometry& geometry, const SetArray& indices,
                                           absl::Span<const int64_t> batch, int64_t at) {
  std::vector<std::vector<int64_t>> starts = {
      std::vector<int64_t>(geometry.operand_dimensions.size(), 0)};
  for (const auto& [dimension, coordinate] : geometry.batching) {
    starts[0][dimension] = batch[coordinate];
  }
  for (size_t i = 0; i < geometry.index_map.size(); ++i) {
    std::vector<std::vector<int64_t>> longer;
    const int64_t element = at + static_cast<int64_t>(i) * geometry.vector_stride;
    for (int64_t value : IndexValues(indices, element)) {
      for (std::vector<int64_t> start : starts) {
        start[geometry.index_map[i]] = value;
        longer.push_back(std::move(start));
      }
    }
    if (longer.size() > kPlacesMax) return {};
    starts = std::move(longer);
  }
  return starts;
}

// Calls visit(possible positions) for every window; the list is empty if there are too many.
template <typename Visit>
void ForEachWindow(const WindowsGeometry& geometry, const SetArray& indices, const Visit& visit) {
  if (geometry.window_count() == 0) return;
  const std::vector<int64_t>& sizes = geometry.batch_sizes;
  std::vector<int64_t> batch(sizes.size(), 0);
  while (true) {
    int64_t at = 0;
    for (size_t d = 0; d < batch.size(); ++d) at += batch[d] * geometry.batch_index_strides[d];
    std::vector<WindowPlace> places;
    for (const std::vector<int64_t>& start : StartsOf(geometry, indices, batch, at)) {
      places.push_back(PlaceAt(geometry, batch, start, /*clamp=*/false));
    }
    visit(places);
    int64_t d = static_cast<int64_t>(sizes.size()) - 1;
    for (; d >= 0 && ++batch[d] == sizes[d]; --d) batch[d] = 0;
    if (d < 0) return;
  }
}

void PlanUncertain(const WindowsGeometry& geometry, const SetArray& indices, bool whole,
                   ScatterPlan& plan) {
  ForEachWindow(geometry, indices, [&](const std::vector<WindowPlace>& places) {
    plan.open = plan.open || places.empty();
    plan.uncertain = plan.uncertain || places.size() > 1;
    for (const WindowPlace& place : places) {
      plan.partly = plan.partly || place.partly;
      if (place.partly && whole) continue;
      ForEachUpdate(geometry, place, [&](int64_t to, int64_t from) {
        (places.size() == 1 ? plan.updates : plan.maybe)[to].push_back(from);
        return true;
      });
    }
  });
}

std::vector<int64_t> IndexNumbers(const Literal& literal) {
  std::vector<int64_t> values(literal.element_count());
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    Int128 value = PointOf(literal, i).ilo;
    values[i] = value > INT64_MAX ? INT64_MAX : static_cast<int64_t>(value);
  }
  return values;
}

void PlanCertain(const Instruction& scatter, const WindowsGeometry& geometry,
                 const Literal& indices, bool whole, ScatterPlan& plan) {
  std::vector<WindowPlace> places = PlacesOf(geometry, IndexNumbers(indices), false);
  for (const WindowPlace& place : places) {
    plan.partly = plan.partly || place.partly;
    if (place.partly && whole) continue;
    ForEachUpdate(geometry, place, [&](int64_t to, int64_t from) {
      plan.updates[to].push_back(from);
      return true;
    });
  }
  if (!scatter.BoolOr(Attr::kIndicesAreSorted, false)) return;
  for (size_t i = 1; i < places.size(); ++i) {
    plan.violates_attribute |= places[i].operand_base < places[i - 1].operand_base;
  }
}

// If `whole`, ignores windows that are partly outside, else cuts them to the inside (ruling 0011).
ScatterPlan PlanScatter(const Instruction& scatter, const SetArray& operand,
                        const SetArray& indices, const SetArray& updates, bool whole) {
  WindowsGeometry geometry =
      ScatterGeometryOf(scatter, operand.shape().dimensions(), indices.shape().dimensions(),
                        updates.shape().dimensions());
  ScatterPlan plan;
  plan.updates.resize(operand.element_count());
  plan.maybe.resize(operand.element_count());
  if (indices.exact()) {
    PlanCertain(scatter, geometry, indices.literal(), whole, plan);
  } else {
    PlanUncertain(geometry, indices, whole, plan);
    plan.violates_attribute = plan.uncertain && scatter.BoolOr(Attr::kIndicesAreSorted, false);
  }
  if (scatter.BoolOr(Attr::kUniqueIndices, false)) {
    for (size_t i = 0; i < plan.updates.size(); ++i) {
      plan.violates_attribute |= plan.updates[i].size() + plan.maybe[i].size() > 1;
    }
  }
  return plan;
}

// Returns true if the computation overwrites: result i of N is parameter N+i, or a copy of it.
bool Overwrites(const Computation& body, int64_t count) {
  const Instruction& root = *body.root();
  auto is = [](const Instruction& x, int64_t n) {
    const Instruction* source = &x;
    while (source->opcode() == Opcode::kCopy) source = &source->operand(0);
    return source->IsParameter(n);
  };
  if (root.opcode() != Opcode::kTuple) return count == 1 && is(root, 1);
  for (int64_t i = 0; i < root.operand_count(); ++i) {
    if (!is(root.operand(i), count + i)) return false;
  }
  return root.operand_count() == count;
}

// Returns the updates that may be the final value of an overwritten element; -1 is its previous
// value. There may be several, since the order of updates is not fixed.
std::vector<int64_t> LastUpdates(const ScatterPlan& plan, size_t element) {
  std::vector<int64_t> last = plan.updates[element];
  if (last.empty()) last.push_back(-1);
  last.insert(last.end(), plan.maybe[element].begin(), plan.maybe[element].end());
  return last;
}

SetArray OverwriteSets(const SetArray& operand, const SetArray& updates, const ScatterPlan& plan,
                       const Shape& shape, uint32_t origin) {
  std::vector<AcceptanceSet> sets = operand.AsSets();
  ChoiceMap map;
  int components = operand.components();
  for (size_t i = 0; i < plan.updates.size(); ++i) {
    if (plan.updates[i].empty() && plan.maybe[i].empty()) continue;
    const std::vector<int64_t> last = LastUpdates(plan, i);
    for (int c = 0; c < components; ++c) {
      const int64_t at = static_cast<int64_t>(i) * components + c;
      std::vector<AcceptanceSet> all;
      for (int64_t from : last) {
        const auto some =
            from < 0 ? ChoicesAt(operand, at) : ChoicesAt(updates, from * components + c);
        all.insert(all.end(), some.begin(), some.end());
      }
      const bool certain = plan.maybe[i].empty();
      const WideningCause cause = certain ? WideningCause::kFreedom : WideningCause::kJump;
      sets[at] = JoinChoices(all, cause, origin, at, map);
    }
  }
  SetArray result(shape, std::move(sets));
  result.origin = origin;
  SetChoices(std::move(map), result);
  return result;
}

// Requires that all operands get the same update, if there are several operands.
std::shared_ptr<RowChoice> SameUpdate(absl::Span<const SetValue> operands, int64_t count,
                                      const ScatterPlan& plan) {
  auto rows = std::make_shared<RowChoice>(static_cast<int>(count));
  for (size_t i = 0; i < plan.updates.size(); ++i) {
    const std::vector<int64_t> last = LastUpdates(plan, i);
    if (last.size() < 2 || last.size() > RowChoice::kRowsMax) continue;
    std::vector<RowChoice::Row> candidates;
    for (int64_t from : last) {
      RowChoice::Row row;
      for (int64_t k = 0; k < count; ++k) {
        const SetArray& source = operands[from < 0 ? k : count + 1 + k].array;
        row.emplace_back();
        for (int c = 0; c < source.components(); ++c) {
          row.back().push_back(source.At(from < 0 ? static_cast<int64_t>(i) : from, c));
        }
      }
      candidates.push_back(std::move(row));
    }
    rows->Put(static_cast<int64_t>(i), std::move(candidates));
  }
  return rows->empty() ? nullptr : rows;
}

// Returns one recognised reducer per operand, or {} if the computation must be enumerated. Extremes
// of complex numbers are not extremes of their parts (ruling 0060).
std::vector<RecognizedReducer> ReducersOf(const Computation& body,
                                          absl::Span<const SetValue> operands, int64_t count) {
  std::vector<RecognizedReducer> reducers = RecognizeEach(body, count);
  for (size_t i = 0; i < reducers.size(); ++i) {
    const bool extreme =
        reducers[i] == RecognizedReducer::kMinimum || reducers[i] == RecognizedReducer::kMaximum;
    if (extreme && IsComplex(operands[i].array.element_type())) return {};
  }
  return reducers;
}

// Combines the certain and possible updates of each element by a reducer such as add or minimum.
absl::StatusOr<SetArray> CombineSets(const CombineOperands& combine, RecognizedReducer reducer,
                                     const ScatterPlan& plan) {
  if (plan.uncertain && IsComplex(combine.operand.element_type())) {
    return UnspecifiedResult(combine.interpreter, combine.instruction, combine.shape,
                             WideningCause::kJump)
        .array;
  }
  if (plan.uncertain && reducer == RecognizedReducer::kAdd &&
      IsFloat(combine.operand.element_type())) {
    return AddUncertainUpdates(combine, plan.maybe);
  }
  HLOCTS_ASSIGN_OR_RETURN(SetArray certain, CombineRecognized(combine, reducer));
  if (!plan.uncertain) return certain;
  return JoinUncertainUpdates(combine, reducer, std::move(certain), plan.maybe);
}

void SetJoint(const std::shared_ptr<RowChoice>& joint, std::vector<SetValue>& results) {
  if (joint == nullptr) return;
  for (size_t k = 0; k < results.size(); ++k) {
    results[k].array.joint = joint;
    results[k].array.joint_slot = static_cast<int>(k);
  }
}

absl::StatusOr<SetValue> ScatterByPlan(SetInterpreter& interpreter, const Instruction& instruction,
                                       const Shape& shape, absl::Span<const SetValue> operands,
                                       const ScatterPlan& plan) {
  const int64_t count = static_cast<int64_t>(operands.size()) / 2;
  const Computation& body = *instruction.CalledComputation(Attr::kToApply);
  const std::vector<RecognizedReducer> reducers = ReducersOf(body, operands, count);
  const bool overwrite = Overwrites(body, count);
  if (plan.violates_attribute) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kFreedom);
  }
  if (plan.open || (plan.uncertain && !overwrite && reducers.empty())) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kJump);
  }
  if (!overwrite && reducers.empty()) {
    return CombineByEnumeration(interpreter, instruction, shape, operands, plan.updates);
  }
  const uint32_t origin = interpreter.OriginOf(
      instruction, interpreter.RuleOf(Opcode::kScatter, operands[0].array.element_type()));
  std::vector<SetValue> results;
  for (int64_t i = 0; i < count; ++i) {
    const SetArray &operand = operands[i].array, &updates = operands[count + 1 + i].array;
    const Shape leaf = shape.IsTuple() ? shape.tuple_shapes()[i] : shape;
    if (overwrite) {
      results.emplace_back(Compress(OverwriteSets(operand, updates, plan, leaf, origin)));
      continue;
    }
    CombineOperands combine = {interpreter, instruction, leaf, operand, updates, plan.updates};
    HLOCTS_ASSIGN_OR_RETURN(SetArray result, CombineSets(combine, reducers[i], plan));
    results.emplace_back(Compress(std::move(result)));
  }
  if (!shape.IsTuple()) return results[0];
  if (overwrite) SetJoint(SameUpdate(operands, count, plan), results);
  return SetValue::Tuple(std::move(results));
}

absl::StatusOr<SetValue> DenseScatterSets(SetInterpreter& interpreter,
                                          const Instruction& instruction, const Shape& shape,
                                          absl::Span<const SetValue> operands) {
  const int64_t count = static_cast<int64_t>(operands.size()) / 2;
  const SetArray& indices = operands[count].array;
  const auto plan_of = [&](bool whole) {
    return PlanScatter(instruction, operands[0].array, indices, operands[count + 1].array, whole);
  };
  const ScatterPlan plan = plan_of(/*whole=*/false);
  HLOCTS_ASSIGN_OR_RETURN(SetValue sets,
                          ScatterByPlan(interpreter, instruction, shape, operands, plan));
  if (!plan.partly || interpreter.profile() == Profile::kStrict) return sets;
  // Outside the strict profile, windows that are partly outside may be ignored (ruling 0011).
  HLOCTS_ASSIGN_OR_RETURN(SetValue dropped, ScatterByPlan(interpreter, instruction, shape, operands,
                                                          plan_of(/*whole=*/true)));
  return JoinValues(sets, dropped);
}

}  // namespace

// Elements beyond run-time sizes are ignored (ruling 0064).
absl::StatusOr<SetValue> ScatterSets(SetInterpreter& interpreter, const Instruction& instruction,
                                     const Shape& shape, absl::Span<const SetValue> operands) {
  const bool dynamic = std::any_of(operands.begin(), operands.end(), [](const SetValue& operand) {
    return !operand.array.runtime_sizes.empty();
  });
  if (!dynamic) return DenseScatterSets(interpreter, instruction, shape, operands);
  return OnDenseArrays(instruction, shape, operands,
                       [&](const Shape& sizes, absl::Span<const SetValue> dense) {
                         return DenseScatterSets(interpreter, instruction, sizes, dense);
                       });
}

}  // namespace hlocts::reference
