// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/groups/part_group.h"

#include <algorithm>
#include <utility>

#include "backends/engine/cpu/base/for_ranges.h"
#include "backends/engine/cpu/base/scratch.h"

namespace hlocts::cpu {

PartGroup::PartGroup(int64_t parts, int64_t at_once, std::vector<Member> members,
                     std::vector<Internal> internals, int64_t working_bytes,
                     const kernels::Parallel& parallel)
    : parts_(parts),
      at_once_(at_once),
      members_(std::move(members)),
      internals_(std::move(internals)),
      working_bytes_(working_bytes),
      parallel_(parallel) {
  for (const Member& member : members_) cost_ns_ += member.work.cost_ns;
}

absl::Status PartGroup::RunMember(const Member& member, In in, Out out, uint8_t* working,
                                  int64_t begin, int64_t end) const {
  // Members compute addresses relative to part 0, but working memory contains only the parts from
  // `begin` on. The addresses of internal arrays are therefore lower by `begin` parts.
  const auto array = [&](const OperandLocation& place) -> uint8_t* {
    if (place.number < 0) return nullptr;
    if (place.kind == OperandLocation::Kind::kOut) return out[place.number];
    if (place.kind == OperandLocation::Kind::kIn) return const_cast<uint8_t*>(in[place.number]);
    const Internal& internal = internals_[place.number];
    return working + internal.offset - begin * internal.part_bytes;
  };
  absl::InlinedVector<const uint8_t*, 8> operands;
  absl::InlinedVector<uint8_t*, 4> results;
  for (const OperandLocation& place : member.in) operands.push_back(array(place));
  for (const OperandLocation& place : member.out) results.push_back(array(place));
  return member.work.run(operands.data(), results.data(), begin, end);
}

absl::Status PartGroup::RunParts(In in, Out out, int64_t begin, int64_t end) const {
  const ScratchBuffer working(working_bytes_);
  for (; begin < end; begin += at_once_) {
    const int64_t stop = std::min(end, begin + at_once_);
    for (const Member& member : members_) {
      HLOCTS_RETURN_IF_ERROR(RunMember(member, in, out, working.data(), begin, stop));
    }
  }
  return absl::OkStatus();
}

absl::Status PartGroup::operator()(Run&, In in, Out out) const {
  return ForRanges(
      parallel_, parts_, cost_ns_,
      [&](int64_t begin, int64_t end) { return RunParts(in, out, begin, end); }, at_once_);
}

}  // namespace hlocts::cpu
