// SPDX-License-Identifier: Apache-2.0
#include "backends/differ/together.h"

#include <algorithm>
#include <map>
#include <set>

namespace hlocts::backends {

absl::StatusOr<bool> MinimalGroupSearch::Wrong(const Members& members) {
  if (members.empty() || PieceRunner::Clock::now() > deadline_) return false;
  auto piece = CutOut(module_, *module_.entry(), members);
  if (!piece.ok()) return false;  // cannot be cut there
  auto kept = std::make_unique<Piece>(*std::move(piece));
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<PieceRun> run, runner_.RunAlone(*kept));
  if (run == nullptr) return false;
  run_ = std::move(run);
  piece_ = std::move(kept);
  members_ = members;
  return true;
}

// Drops chunks of half, a quarter, ... down to one instruction, while the remaining part stays
// wrong.
absl::Status MinimalGroupSearch::Shrink(bool front) {
  for (size_t chunk = members_.size() / 2; chunk >= 1; chunk /= 2) {
    bool smaller = true;
    while (smaller && members_.size() > chunk) {
      auto cut = static_cast<std::ptrdiff_t>(chunk);
      Members rest = front ? Members(members_.begin() + cut, members_.end())
                           : Members(members_.begin(), members_.end() - cut);
      HLOCTS_ASSIGN_OR_RETURN(smaller, Wrong(rest));
    }
  }
  return absl::OkStatus();
}

absl::Status MinimalGroupSearch::TryComponents() {
  std::map<const Instruction*, Members> components;  // keyed by the first member
  std::map<const Instruction*, const Instruction*> first_of;
  for (const Instruction* member : members_) {
    std::set<const Instruction*> joined;
    for (const Instruction* operand : member->operands()) {
      auto found = first_of.find(ResolveValue(*operand).instruction);
      if (found != first_of.end()) joined.insert(found->second);
    }
    Members all = {};
    for (const Instruction* first : joined) {
      all.insert(all.end(), components[first].begin(), components[first].end());
      components.erase(first);
    }
    all.push_back(member);
    for (const Instruction* each : all) first_of[each] = all.front();
    components[all.front()] = std::move(all);
  }
  if (components.size() < 2) return absl::OkStatus();
  for (auto& [first, members] : components) {
    std::sort(members.begin(), members.end(),
              [](const Instruction* a, const Instruction* b) { return a->index() < b->index(); });
    HLOCTS_ASSIGN_OR_RETURN(bool wrong, Wrong(members));
    if (wrong) break;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<PieceRun>> MinimalGroupSearch::Find() {
  auto all = CutMembers(*module_.entry());
  if (!all.ok()) return all.status();
  HLOCTS_ASSIGN_OR_RETURN(bool wrong, Wrong(*all));
  if (!wrong) return std::unique_ptr<PieceRun>();
  HLOCTS_RETURN_IF_ERROR(Shrink(true));
  HLOCTS_RETURN_IF_ERROR(Shrink(false));
  HLOCTS_RETURN_IF_ERROR(TryComponents());
  return std::move(run_);
}

}  // namespace hlocts::backends
