// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/groups/batch_group.h"

#include <utility>

#include "backends/engine/cpu/base/for_ranges.h"
#include "backends/engine/cpu/base/scratch.h"

namespace hlocts::cpu {

BatchGroup::BatchGroup(int64_t parts, std::vector<Member> members, std::vector<Internal> internals,
                       int64_t working_bytes, const kernels::Parallel& parallel)
    : parts_(parts),
      members_(std::move(members)),
      internals_(std::move(internals)),
      working_bytes_(working_bytes),
      parallel_(parallel) {
  for (const Member& member : members_) cost_ns_ += member.work.cost_ns;
}

absl::Status BatchGroup::RunMember(const Member& member, In in, Out out, uint8_t* working,
                                   int64_t part) const {
  // Working memory holds this part alone: its array would begin that much earlier.
  const auto array = [&](const GroupPlace& place) -> uint8_t* {
    if (place.number < 0) return nullptr;
    if (place.kind == GroupPlace::Kind::kOut) return out[place.number];
    if (place.kind == GroupPlace::Kind::kIn) return const_cast<uint8_t*>(in[place.number]);
    const Internal& internal = internals_[place.number];
    return working + internal.offset - part * internal.part_bytes;
  };
  absl::InlinedVector<const uint8_t*, 8> operands;
  absl::InlinedVector<uint8_t*, 4> results;
  for (const GroupPlace& place : member.in) operands.push_back(array(place));
  for (const GroupPlace& place : member.out) results.push_back(array(place));
  return member.work.run(operands.data(), results.data(), part);
}

absl::Status BatchGroup::RunParts(In in, Out out, int64_t begin, int64_t end) const {
  const ScratchBuffer working(working_bytes_);
  for (int64_t part = begin; part < end; ++part) {
    for (const Member& member : members_) {
      HLOCTS_RETURN_IF_ERROR(RunMember(member, in, out, working.data(), part));
    }
  }
  return absl::OkStatus();
}

absl::Status BatchGroup::operator()(Run&, In in, Out out) const {
  return ForRanges(parallel_, parts_, cost_ns_,
                   [&](int64_t begin, int64_t end) { return RunParts(in, out, begin, end); });
}

}  // namespace hlocts::cpu
