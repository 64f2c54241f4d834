// SPDX-License-Identifier: Apache-2.0
// select-and-scatter where elements of a window tie: each window's source value goes to one of them
// (RULES 31), not to all, not to none, and not in parts.
#ifndef HLOCTS_REFERENCE_JUDGE_JOINT_WINDOW_CHOICE_H_
#define HLOCTS_REFERENCE_JUDGE_JOINT_WINDOW_CHOICE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "spec/judge/acceptance_set.h"
#include "spec/judge/choices.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {

class WindowChoice : public JointPredicate {
 public:
  // The set of an element to which exactly these windows (of those that may) send their value.
  using SetOfElement =
      std::function<AcceptanceSet(int64_t element, const std::vector<int64_t>& windows)>;
  // candidates[w]: elements of which window w chooses one, in the order of the windows; those with
  // fewer than two are certain and ignored.
  WindowChoice(const std::vector<std::vector<int64_t>>& candidates, int64_t elements,
               const SetOfElement& set_of);
  bool empty() const { return groups_.empty(); }
  // For single elements: the values that the choices of any of its windows may give.
  ChoiceMap TakeChoices() { return std::move(choices_); }

  std::string kind() const override { return "choice"; }
  int slot_count() const override { return 1; }
  Verdict Check(absl::Span<const Literal* const> slots) const override;

 private:
  struct Element {
    int64_t at;
    std::vector<size_t> windows;      // of the group, those that may choose it
    std::vector<AcceptanceSet> sets;  // by which of them do, as bits
  };
  // Windows that share elements, directly or through others.
  struct Group {
    std::vector<std::vector<size_t>> windows;  // each one's candidates, as numbers of `elements`
    std::vector<Element> elements;
  };
  void AddGroup(const std::vector<int64_t>& windows,
                const std::vector<std::vector<int64_t>>& candidates, const SetOfElement& set_of);
  static bool Holds(const Group& group, const Literal& actual);

  std::vector<Group> groups_;
  ChoiceMap choices_;
};

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_JOINT_WINDOW_CHOICE_H_
