// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/joint/window_choice.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"

namespace hlocts::reference {
namespace {

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

}  // namespace

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

}  // namespace hlocts::reference
