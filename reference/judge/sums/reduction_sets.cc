// SPDX-License-Identifier: Apache-2.0
// Computes the sets of reduce, reduce-window, map and select-and-scatter. The method depends on the
// called computation (lemmas 1, 2, 11, 12, 14, 15).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "reference/dynamic_sizes.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/sums/reducers.h"
#include "reference/judge/sums/reductions.h"
#include "reference/kernels/reduce_window.h"
#include "spec/ir/instruction.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/choices.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {
namespace {

// Judges select-and-scatter if elements of a window tie: the window's source value must be combined
// with exactly one of them, undivided (lemma 31).

class WindowChoice : public JointPredicate {
 public:
  // Returns the set of an element that receives the values of exactly these windows.
  using SetOfElement =
      std::function<AcceptanceSet(int64_t element, const std::vector<int64_t>& windows)>;
  // candidates[w] are the elements of which window w selects one. A window with fewer than two
  // candidates is certain and ignored.
  WindowChoice(const std::vector<std::vector<int64_t>>& candidates, int64_t elements,
               const SetOfElement& set_of);
  bool empty() const { return groups_.empty(); }
  // Returns for each element the sets that its windows' selections may give.
  ChoiceMap TakeChoices() { return std::move(choices_); }

  std::string kind() const override { return "choice"; }
  int slot_count() const override { return 1; }
  Verdict Check(absl::Span<const Literal* const> slots) const override;

 private:
  struct Element {
    int64_t at;
    std::vector<size_t> windows;      // the group's windows that may select the element
    std::vector<AcceptanceSet> sets;  // sets[m]: the windows in bit mask m select the element
  };
  // Windows that share elements, directly or through other windows.
  struct Group {
    std::vector<std::vector<size_t>> windows;  // each window's candidates, as indices of `elements`
    std::vector<Element> elements;
  };
  void AddGroup(const std::vector<int64_t>& windows,
                const std::vector<std::vector<int64_t>>& candidates, const SetOfElement& set_of);
  static bool Holds(const Group& group, const Literal& actual);

  std::vector<Group> groups_;
  ChoiceMap choices_;
};

// Limits of effort: elements of larger groups are judged one by one.
constexpr size_t kWindowsOfElement = 4;
constexpr int64_t kChoicesOfGroup = 4096;

// Returns the representative of window w's group.
int64_t RootOf(std::vector<int64_t>& parent, int64_t w) {
  while (parent[w] != w) w = parent[w] = parent[parent[w]];
  return w;
}

// Returns the windows that have a choice, in groups that share no element.
std::vector<std::vector<int64_t>> GroupsOf(const std::vector<std::vector<int64_t>>& candidates,
                                           int64_t elements) {
  std::vector<int64_t> parent(candidates.size()), first(elements, -1);
  for (size_t w = 0; w < candidates.size(); ++w) parent[w] = static_cast<int64_t>(w);
  for (size_t w = 0; w < candidates.size(); ++w) {
    if (candidates[w].size() < 2) continue;
    for (int64_t element : candidates[w]) {
      if (first[element] < 0) first[element] = static_cast<int64_t>(w);
      parent[RootOf(parent, static_cast<int64_t>(w))] = RootOf(parent, first[element]);
    }
  }
  std::map<int64_t, std::vector<int64_t>> groups;
  for (size_t w = 0; w < candidates.size(); ++w) {
    if (candidates[w].size() < 2) continue;
    groups[RootOf(parent, static_cast<int64_t>(w))].push_back(static_cast<int64_t>(w));
  }
  std::vector<std::vector<int64_t>> all;
  for (auto& [root, windows] : groups) all.push_back(std::move(windows));
  return all;
}

WindowChoice::WindowChoice(const std::vector<std::vector<int64_t>>& candidates, int64_t elements,
                           const SetOfElement& set_of) {
  for (const std::vector<int64_t>& windows : GroupsOf(candidates, elements)) {
    AddGroup(windows, candidates, set_of);
  }
}

void WindowChoice::AddGroup(const std::vector<int64_t>& windows,
                            const std::vector<std::vector<int64_t>>& candidates,
                            const SetOfElement& set_of) {
  Group group;
  std::map<int64_t, size_t> number;
  int64_t combinations = 1;
  for (size_t w = 0; w < windows.size(); ++w) {
    group.windows.emplace_back();
    combinations *= static_cast<int64_t>(candidates[windows[w]].size());
    if (combinations > kChoicesOfGroup) return;
    for (int64_t at : candidates[windows[w]]) {
      auto [found, added] = number.try_emplace(at, group.elements.size());
      if (added) group.elements.push_back({at, {}, {}});
      group.elements[found->second].windows.push_back(w);
      group.windows.back().push_back(found->second);
    }
  }
  for (Element& element : group.elements) {
    if (element.windows.size() > kWindowsOfElement) return;
    Choices choices;
    bool few = true;
    for (size_t mask = 0; mask < (size_t{1} << element.windows.size()); ++mask) {
      std::vector<int64_t> chosen;
      for (size_t k = 0; k < element.windows.size(); ++k) {
        if (mask >> k & 1) chosen.push_back(windows[element.windows[k]]);
      }
      element.sets.push_back(set_of(element.at, chosen));
      few = few && choices.Add(element.sets.back());
    }
    if (few && choices.sets().size() > 1) choices_.Put(element.at, choices.sets());
  }
  groups_.push_back(std::move(group));
}

bool WindowChoice::Holds(const Group& group, const Literal& actual) {
  std::vector<size_t> choice(group.windows.size(), 0);
  while (true) {
    bool held = true;
    for (size_t e = 0; e < group.elements.size() && held; ++e) {
      const Element& element = group.elements[e];
      size_t mask = 0;
      for (size_t k = 0; k < element.windows.size(); ++k) {
        const size_t w = element.windows[k];
        if (group.windows[w][choice[w]] == e) mask |= size_t{1} << k;
      }
      held = Accepts(element.sets[mask], actual, element.at);
    }
    if (held) return true;
    size_t w = 0;
    for (; w < choice.size() && ++choice[w] == group.windows[w].size(); ++w) choice[w] = 0;
    if (w == choice.size()) return false;
  }
}

WindowChoice::Verdict WindowChoice::Check(absl::Span<const Literal* const> slots) const {
  Verdict verdict;
  verdict.checked = slots[0] != nullptr;
  for (const Group& group : groups_) {
    if (!verdict.checked || Holds(group, *slots[0])) continue;
    verdict.ok = false;
    verdict.index = group.elements[0].at;
    verdict.expected = absl::StrCat("each of ", group.windows.size(), " windows chooses one of ",
                                    group.elements.size(), " elements");
    return verdict;
  }
  return verdict;
}

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
  if (count > 1 && instruction.opcode() == Opcode::kReduce) {
    std::vector<std::vector<int64_t>> sizes;
    for (const SetValue& operand : operands) {
      const SetArray& array = operand.array;
      sizes.push_back(array.runtime_sizes.empty() ? array.shape().dimensions()
                                                  : array.runtime_sizes);
    }
    HLOCTS_RETURN_IF_ERROR(CheckRuntimeSizes(instruction, sizes));
  }
  KeepIfCompared(interpreter, instruction, operands);
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

// The range of an element. If `unknown_target`, it may be a NaN or unspecified.
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

// Selections by window. A definite selection is an update; otherwise each candidate may be updated.
struct WindowSelections {
  std::vector<std::vector<int64_t>> updates, maybe;  // windows by element
  std::vector<std::vector<int64_t>> candidates;      // elements by window
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
