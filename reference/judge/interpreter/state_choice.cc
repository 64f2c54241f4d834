// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/interpreter/state_choice.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/judge/choices.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {
namespace {

// Returns the first element of the literal that the array does not accept, or -1.
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
        absl::StrCat("all results belong to one of the ", states_.size(), " ends of the loop");
    return verdict;
  }

 private:
  // Returns true if the outputs match a state. If not, `verdict` names the element that the first
  // state rejects.
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

}  // namespace

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

}  // namespace hlocts::reference
