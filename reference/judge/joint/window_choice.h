// SPDX-License-Identifier: Apache-2.0
// Judges select-and-scatter where elements of a window tie: each window's source value goes to
// exactly one of them (lemma 31), undivided.
#pragma once

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
  // Returns the set of an element if exactly these windows, of those that may, send it their value.
  using SetOfElement =
      std::function<AcceptanceSet(int64_t element, const std::vector<int64_t>& windows)>;
  // candidates[w] are the elements among which window w selects one, in the order of the windows.
  // Windows with fewer than two candidates are certain and ignored.
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

}  // namespace hlocts::reference
