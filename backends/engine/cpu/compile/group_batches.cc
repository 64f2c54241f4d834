// SPDX-License-Identifier: Apache-2.0
// Groups steps that can run together on one entry of a batch at a time.
#include <algorithm>

#include "backends/engine/cpu/compile/function_builder.h"
#include "backends/engine/cpu/groups/part_group.h"
#include "backends/engine/plan/arena.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kWorkingBytesMax = 768 << 10;  // memory of one batch entry: most of an L2 cache
// Members of a group must exchange this many bytes: fewer remain in the cache without a group.
constexpr int64_t kHandedBytesMin = 256 << 10;

}  // namespace

std::optional<PartitionedStep> FunctionBuilder::PartWorkOf(const Draft& draft,
                                                           int64_t parts) const {
  if (draft.step.parts != nullptr) return draft.step.parts(parts);
  const RowWork& work = draft.step.rows;
  if (work.loop == nullptr || work.elements == 0 || work.elements % parts != 0) return std::nullopt;
  PartitionedStep part = PartsOf(work, parts);
  for (size_t k = 0; k < draft.in.size(); ++k) part.own.push_back(ReadsOwnRows(draft, k, parts));
  return part;
}

// Returns drafts [first, end) as one group, or nullopt if that saves no time. It saves time if
// members exchange many bytes in total, but few for each batch entry.
std::optional<FunctionBuilder::Draft> FunctionBuilder::BatchOf(size_t first, size_t end,
                                                               int64_t parts,
                                                               const PartWorks& works) const {
  const BufferMapping wiring = BufferMappingOf(first, end);
  std::vector<plan::Lifetime> lifetimes(wiring.internal.size());
  for (size_t i = 0; i < lifetimes.size(); ++i) {
    lifetimes[i].bytes = buffers_[wiring.internal[i]].bytes / parts;
  }
  int64_t handed = 0;
  std::vector<PartGroup::Member> members;
  for (size_t d = first; d < end; ++d) {
    const BufferMapping::Member& member = wiring.members[d - first];
    const auto number = static_cast<int32_t>(d - first);
    for (const OperandLocation& place : member.out) {
      if (place.kind != OperandLocation::Kind::kInternal) continue;
      lifetimes[place.number].first = lifetimes[place.number].last = number;
    }
    for (const OperandLocation& place : member.in) {
      if (place.kind == OperandLocation::Kind::kInternal) lifetimes[place.number].last = number;
    }
    members.push_back({*works[d], member.in, member.out});
  }
  for (const plan::Lifetime& lifetime : lifetimes) handed += lifetime.bytes * parts;
  const auto working = plan::PlanArena(lifetimes, kWorkingBytesMax);
  const int64_t handed_min = compiler_.options().guard ? 1 : kHandedBytesMin;
  if (handed < handed_min || !working.ok()) return std::nullopt;
  std::vector<PartGroup::Internal> internals;
  for (size_t i = 0; i < lifetimes.size(); ++i) {
    internals.push_back({lifetimes[i].bytes, working->offsets[i]});
  }
  Draft draft;
  draft.in = wiring.in;
  draft.out = wiring.out;
  draft.step.run = PartGroup(parts, 1, std::move(members), std::move(internals), working->bytes,
                             kernels::Parallel(compiler_.options().threads));
  return draft;
}

// Merges the drafts around a batched product if the batch has enough entries for all threads.
void FunctionBuilder::GroupBatches() {
  const int64_t threads = kernels::Parallel(compiler_.options().threads).threads();
  const int64_t batch_min = compiler_.options().guard ? 2 : std::max<int64_t>(2, 2 * threads);
  const auto is_anchor = [&](const Draft& draft) {
    return draft.step.parts != nullptr && draft.step.batch >= batch_min;
  };
  if (std::none_of(drafts_.begin(), drafts_.end(), is_anchor)) return;
  // Moves the steps that write iotas' sequences to the front, so that they do not separate the
  // members of a group. Such a step has no operands.
  std::stable_partition(drafts_.begin(), drafts_.end(),
                        [](const Draft& draft) { return draft.is_copy && draft.in.empty(); });
  PartWorks works;
  int64_t cut = 0;  // number of parts to which `works` applies
  Gather(
      {[&](size_t a) {
         const int64_t parts = is_anchor(drafts_[a]) ? drafts_[a].step.batch : 0;
         if (parts == 0 || parts == cut) return parts;
         works.clear();
         for (const Draft& draft : drafts_) works.push_back(PartWorkOf(draft, parts));
         return cut = parts;
       },
       [&](size_t d, int64_t) { return works[d].has_value(); },
       [&](size_t d, size_t k, int64_t) { return works[d]->own[k]; },
       [&](size_t first, size_t end, int64_t parts) { return BatchOf(first, end, parts, works); }});
}

}  // namespace hlocts::cpu
