// SPDX-License-Identifier: Apache-2.0
// Runs conditional and while on sets: joins the results of all possible branches and loop ends.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/interpreter/set_value.h"
#include "reference/ops/collective.h"
#include "spec/ir/module.h"
#include "spec/judge/choices.h"
#include "spec/judge/joint.h"
#include "spec/ops/custom_calls.h"

namespace hlocts::reference {
namespace {

// If a loop may end after one of several trips, joins the results of these trips and requires that
// all results come from the same trip (lemma 31).

// Returns the index of the first element of the literal that the array does not accept, or -1.
int64_t FirstOutside(const SetArray& array, const Literal& literal, bool any_nan) {
  for (int64_t i = 0; i < array.element_count(); ++i) {
    for (int c = 0; c < array.components(); ++c) {
      if (AcceptsChoice(array, array.At(i, c), literal, i, c)) continue;
      if (!any_nan || !IsNanOfOtherBits(array, literal, i, c)) return i;
    }
  }
  return -1;
}

class StateChoice : public JointPredicate {
 public:
  // `states` is indexed by state, then by slot.
  explicit StateChoice(std::vector<std::vector<SetArray>> states) : states_(std::move(states)) {}
  std::string kind() const override { return "choice"; }
  int slot_count() const override { return static_cast<int>(states_[0].size()); }
  Verdict Check(absl::Span<const Literal* const> slots) const override {
    Verdict verdict;
    verdict.checked = true;
    if (Holds(slots, /*any_nan=*/false, verdict)) return verdict;
    verdict.ok = false;
    Verdict ignored;
    verdict.nan_bits = Holds(slots, /*any_nan=*/true, ignored);
    verdict.expected =
        absl::StrCat("all results belong to one of the ", states_.size(), " exits of the loop");
    return verdict;
  }

 private:
  // Returns true if the outputs match a state. If not, `verdict` names an element that state 0
  // rejects.
  bool Holds(absl::Span<const Literal* const> slots, bool any_nan, Verdict& verdict) const {
    for (size_t s = states_.size(); s-- > 0;) {
      bool all = true;
      for (size_t k = 0; k < slots.size() && all; ++k) {
        if (slots[k] == nullptr) continue;
        const int64_t refused = FirstOutside(states_[s][k], *slots[k], any_nan);
        all = refused < 0;
        if (!all) verdict.slot = static_cast<int>(k), verdict.index = refused;
      }
      if (all) return true;
    }
    return false;
  }

  std::vector<std::vector<SetArray>> states_;
};

void AppendArrays(const SetValue& value, std::vector<SetArray>& arrays) {
  if (value.IsArray()) arrays.push_back(value.array);
  for (const SetValue& element : value.elements) AppendArrays(element, arrays);
}

void SetJoint(const std::shared_ptr<const JointPredicate>& joint, SetValue& value, int& slot) {
  if (value.IsArray()) {
    const bool free = value.array.joint == nullptr;
    if (free) value.array.joint = joint, value.array.joint_slot = slot;
    ++slot;
  }
  for (SetValue& element : value.elements) SetJoint(joint, element, slot);
}

bool OfStaticSizes(const std::vector<SetArray>& arrays) {
  return std::all_of(arrays.begin(), arrays.end(),
                     [](const SetArray& array) { return array.runtime_sizes.empty(); });
}

// Joins at least one state; all states have the same shape. Each array of the result accepts what
// the array of any state accepts. A joint predicate requires that all arrays match the same state.
SetValue JoinStates(std::vector<SetValue> states) {
  SetValue joined = states[0];
  bool fixed = true;
  std::vector<std::vector<SetArray>> arrays;
  for (size_t s = 0; s < states.size(); ++s) {
    if (s > 0) joined = JoinValues(joined, states[s]);
    arrays.emplace_back();
    AppendArrays(states[s], arrays.back());
    fixed = fixed && OfStaticSizes(arrays.back());
  }
  if (states.size() == 1 || !fixed || arrays[0].empty()) return joined;
  int slot = 0;
  SetJoint(std::make_shared<StateChoice>(std::move(arrays)), joined, slot);
  return joined;
}

constexpr int kUncertainTrips = 16;

// Returns the branches that the index may select. An index out of range selects the last branch.
std::vector<int64_t> PossibleBranches(const Instruction& instruction, const SetValue& selector,
                                      int64_t branches) {
  AcceptanceSet s = selector.array.At(0);
  bool pred = selector.array.element_type() == PrimitiveType::kPred;
  std::vector<int64_t> possible;
  for (int64_t b = 0; b < branches; ++b) {
    Int128 value = pred ? 1 - b : b;  // true_computation is branch 0
    bool chosen = s.unspecified() || (s.ilo <= value && value <= s.ihi);
    if (!pred && b == branches - 1) chosen = chosen || s.ilo < 0 || s.ihi >= branches;
    if (chosen) possible.push_back(b);
  }
  return possible;
}

// Returns the state that the next trip reads: this trip's result as it was stored (ruling 0105).
SetValue HandedOn(const SetInterpreter& interpreter, const SetValue& made, const Shape& shape) {
  const bool unrounded =
      interpreter.profile() == Profile::kRelaxed || interpreter.ReadsUnrounded(shape);
  return unrounded ? made : RoundedValue(made);
}

bool HasSideEffects(const Computation& computation) {
  for (const auto& instruction : computation.instructions()) {
    Opcode opcode = instruction->opcode();
    if (IsCollective(opcode) || opcode == Opcode::kInfeed || opcode == Opcode::kOutfeed ||
        opcode == Opcode::kSend || opcode == Opcode::kRecvDone ||
        ShardingCallOf(*instruction) == ShardingCall::kShardToFull) {
      return true;
    }
    for (const Computation* called : instruction->called_computations()) {
      if (HasSideEffects(*called)) return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<std::vector<SetValue>> SetInterpreter::RunConditional(
    const Instruction& instruction, const std::vector<std::vector<SetValue>>& operands,
    const Walk& walk) {
  std::vector<Computation*> branches = instruction.branches();
  std::vector<SetValue> results(walk.devices.size());
  std::vector<bool> done(walk.devices.size(), false);
  for (size_t d = 0; d < walk.devices.size(); ++d) {
    if (done[d]) continue;
    auto possible = PossibleBranches(instruction, operands[d][0], branches.size());
    // Devices that have the same possible branches run them together.
    std::vector<int64_t> together;
    std::vector<size_t> places;
    for (size_t e = d; e < walk.devices.size(); ++e) {
      if (PossibleBranches(instruction, operands[e][0], branches.size()) != possible) continue;
      together.push_back(walk.devices[e]);
      places.push_back(e);
      done[e] = true;
    }
    bool first = true;
    for (int64_t b : possible) {
      if (possible.size() > 1 && HasSideEffects(*branches[b])) {
        return Unsupported(instruction.name(), ": one of the possible branches has side effects");
      }
      std::vector<std::vector<SetValue>> arguments;
      for (size_t place : places) arguments.push_back({operands[place][1 + b]});
      HLOCTS_ASSIGN_OR_RETURN(std::vector<SetValue> values,
                              Run(*branches[b], std::move(arguments), {together, walk.observer}));
      for (size_t k = 0; k < places.size(); ++k) {
        results[places[k]] = first ? values[k] : JoinValues(results[places[k]], values[k]);
      }
      first = false;
    }
  }
  return results;
}

absl::StatusOr<SetValue> SetInterpreter::RunWhileOnOneDevice(const Instruction& instruction,
                                                             SetValue state,
                                                             WalkObserver* observer) {
  const Computation& condition = *instruction.CalledComputation(Attr::kCondition);
  const Computation& body = *instruction.CalledComputation(Attr::kBody);
  const Walk alone = {{current_device_}, observer};
  std::vector<SetValue> exits;
  SetValue made = state;  // the latest trip's result, before HandedOn rounds it
  for (int uncertain = 0;;) {
    HLOCTS_RETURN_IF_ERROR(ChargeStep());
    HLOCTS_ASSIGN_OR_RETURN(std::vector<SetValue> again, Run(condition, {{state}}, alone));
    AcceptanceSet s = again[0].array.At(0);
    bool may_stop = s.unspecified() || s.ilo == 0, may_go = s.unspecified() || s.ihi == 1;
    if (may_stop) exits.push_back(std::move(made));
    made = SetValue();
    if (!may_go) return JoinStates(std::move(exits));
    if (may_stop && (++uncertain > kUncertainTrips || HasSideEffects(body))) {
      return UnspecifiedResult(*this, instruction, instruction.shape(), WideningCause::kJump);
    }
    std::vector<std::vector<SetValue>> arguments(1);
    arguments[0].push_back(std::move(state));
    HLOCTS_ASSIGN_OR_RETURN(std::vector<SetValue> next, Run(body, std::move(arguments), alone));
    made = std::move(next[0]);
    state = HandedOn(*this, made, instruction.shape());
    remainders_.EnterBody(body);
    if (observer != nullptr) observer->Record(instruction, {made}, {}, state);
  }
}

absl::StatusOr<std::vector<SetValue>> SetInterpreter::RunWhile(
    const Instruction& instruction, std::vector<std::vector<SetValue>> operands, const Walk& walk) {
  const Computation& condition = *instruction.CalledComputation(Attr::kCondition);
  const Computation& body = *instruction.CalledComputation(Attr::kBody);
  std::vector<SetValue> results;
  if (walk.devices.size() == 1 || !(HasSideEffects(body) || HasSideEffects(condition))) {
    for (size_t d = 0; d < walk.devices.size(); ++d) {
      current_device_ = walk.devices[d];
      HLOCTS_ASSIGN_OR_RETURN(
          SetValue result,
          RunWhileOnOneDevice(instruction, std::move(operands[d][0]), walk.observer));
      remainders_.LeaveBody(body);
      results.push_back(std::move(result));
    }
    return results;
  }
  // Devices that communicate inside the loop must make the same number of trips.
  while (true) {
    HLOCTS_RETURN_IF_ERROR(ChargeStep());
    HLOCTS_ASSIGN_OR_RETURN(std::vector<SetValue> again, Run(condition, operands, walk));
    int64_t going = 0;
    for (const SetValue& value : again) {
      AcceptanceSet s = value.array.At(0);
      if (s.unspecified() || s.ilo != s.ihi) {
        return Unsupported(instruction.name(), ": a loop with uncertain trips has side effects");
      }
      going += s.ilo == 1;
    }
    if (going != 0 && going != static_cast<int64_t>(walk.devices.size())) {
      return Unsupported(instruction.name(), ": trip counts of a loop with side effects differ");
    }
    if (going == 0) break;
    HLOCTS_ASSIGN_OR_RETURN(results, Run(body, std::move(operands), walk));
    operands.clear();
    for (const SetValue& value : results) {
      operands.push_back({HandedOn(*this, value, instruction.shape())});
    }
  }
  if (!results.empty()) return results;
  for (auto& device : operands) results.push_back(std::move(device[0]));
  return results;
}

}  // namespace hlocts::reference
