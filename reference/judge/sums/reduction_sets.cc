// SPDX-License-Identifier: Apache-2.0
// Computes the sets of reduce, reduce-window, map and select-and-scatter, by the kind of the called
// computation (lemmas 1, 2, 11, 12, 14, 15).
#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/joint/window_choice.h"
#include "reference/judge/sums/reducers.h"
#include "reference/judge/sums/reductions.h"
#include "reference/kernels/select_and_scatter.h"
#include "spec/ir/instruction.h"
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
      HLOCTS_ASSIGN_OR_RETURN(SetValue result, ReduceRecognized(one, reducers[i]));
      result.array = Compress(std::move(result.array));
      results.push_back(std::move(result));
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

// ---------------------------------------------------------------- select-and-scatter

// The range of an element. A `wild` element may be a NaN or anything.
struct ElementReach {
  double lo = 0, hi = 0;
  bool unknown_target = false;
};

ElementReach ElementReachOf(const AcceptanceSet& s, PrimitiveType type, uint32_t permissions) {
  if (s.unspecified()) return {0, 0, true};
  if (s.integer()) return {static_cast<double>(s.ilo), static_cast<double>(s.ihi), false};
  const View v = ReadSet(s, FactsOf(type), permissions, (permissions & kSkipRounding) != 0);
  return {v.neg_inf  ? -HUGE_VAL
          : v.finite ? v.lo
                     : HUGE_VAL,
          v.pos_inf  ? HUGE_VAL
          : v.finite ? v.hi
                     : -HUGE_VAL,
          v.nan};
}

// Returns the elements of a window that select may choose: no other element certainly beats them.
std::vector<int64_t> Candidates(const SetArray& operand, const std::vector<int64_t>& window,
                                bool largest, uint32_t permissions) {
  std::vector<ElementReach> reaches;
  double surely = -HUGE_VAL;
  for (int64_t i : window) {
    ElementReach reach = ElementReachOf(operand.At(i), operand.element_type(), permissions);
    if (reach.unknown_target) return window;  // a NaN may make any element win
    if (!largest) reach = {-reach.hi, -reach.lo, false};
    surely = std::max(surely, reach.lo);
    reaches.push_back(reach);
  }
  std::vector<int64_t> candidates;
  for (size_t k = 0; k < window.size(); ++k) {
    if (reaches[k].hi >= surely) candidates.push_back(window[k]);
  }
  return candidates;
}

// Selections by window. A certain selection is an update; otherwise each candidate may be updated.
struct WindowSelections {
  std::vector<std::vector<int64_t>> updates, maybe;  // for each element, windows
  std::vector<std::vector<int64_t>> candidates;      // for each window, elements
  bool certain = true;
};

WindowSelections WindowSelectionsOf(const SetArray& operand, const ReductionTerms& windows,
                                    bool largest, uint32_t permissions) {
  WindowSelections s;
  s.updates.resize(operand.element_count());
  s.maybe.resize(operand.element_count());
  for (size_t w = 0; w < windows.terms.size(); ++w) {
    s.candidates.push_back(Candidates(operand, windows.terms[w], largest, permissions));
    const bool certain = s.candidates[w].size() == 1;
    s.certain = s.certain && s.candidates[w].size() <= 1;
    for (int64_t i : s.candidates[w]) {
      (certain ? s.updates : s.maybe)[i].push_back(static_cast<int64_t>(w));
    }
  }
  return s;
}

// Requires that each window that may choose several elements chooses exactly one (lemma 31).
SetArray WithOneChoice(const CombineOperands& combine, RecognizedReducer reducer,
                       const SetContext& context,
                       const std::vector<std::vector<int64_t>>& candidates, SetArray result) {
  PrimitiveType type = combine.operand.element_type();
  auto set_of = [&](int64_t element, const std::vector<int64_t>& windows) {
    std::vector<AcceptanceSet> terms = {combine.operand.At(element)};
    for (int64_t w : combine.updates[element]) terms.push_back(combine.source.At(w));
    for (int64_t w : windows) terms.push_back(combine.source.At(w));
    return terms.size() == 1 ? terms[0]
                             : CombineTerms(combine.interpreter, context, type, reducer, terms);
  };
  auto joint = std::make_shared<WindowChoice>(candidates, result.element_count(), set_of);
  if (joint->empty() || result.exact()) return result;
  SetChoices(joint->TakeChoices(), result);
  result.joint = std::move(joint);
  return result;
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
  const WindowSelections s =
      WindowSelectionsOf(operand, windows, select.largest, context.rule.permissions);
  const SetArray inits(
      shape, std::vector<AcceptanceSet>(shape.ElementCount() * operand.components(), init.At(0)));
  if (operand.components() == 2) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  CombineOperands combine = {interpreter, instruction, shape, inits, source, s.updates};
  HLOCTS_ASSIGN_OR_RETURN(SetArray certain, CombineRecognized(combine, scatter[0]));
  // Joins the results with and without each uncertain window, one after the other.
  if (s.certain) return SetValue(Compress(std::move(certain)));
  const bool adds = scatter[0] == RecognizedReducer::kAdd && IsFloat(operand.element_type());
  SetArray result =
      adds ? AddUncertainUpdates(combine, s.maybe)
           : Compress(JoinUncertainUpdates(combine, scatter[0], std::move(certain), s.maybe));
  return SetValue(WithOneChoice(combine, scatter[0], context, s.candidates, std::move(result)));
}

}  // namespace hlocts::reference
