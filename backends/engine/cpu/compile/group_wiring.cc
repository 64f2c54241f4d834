// SPDX-License-Identifier: Apache-2.0
// Merges several drafts into one step. Finds the step's operands, internal arrays and results.
#include <algorithm>

#include "backends/engine/cpu/compile/function_builder.h"

namespace hlocts::cpu {

// Returns true if the buffer is a result of the function, or if a draft from `end` on reads it.
bool FunctionBuilder::IsReadOutside(int32_t buffer, size_t first, size_t end) const {
  if (buffers_[buffer].result >= 0) return true;
  for (size_t d = end; d < drafts_.size(); ++d) {
    const std::vector<int32_t>& in = drafts_[d].in;
    if (std::find(in.begin(), in.end(), buffer) != in.end()) return true;
  }
  return false;
}

// Returns true if draft d reads only its own piece of the results of drafts [first, d).
bool FunctionBuilder::Joins(const GroupingRule& how, size_t first, size_t d, int64_t pieces) const {
  if (!how.works(d, pieces)) return false;
  for (size_t m = first; m < d; ++m) {
    const std::vector<int32_t>& made = drafts_[m].out;
    for (size_t k = 0; k < drafts_[d].in.size(); ++k) {
      const bool reads = std::find(made.begin(), made.end(), drafts_[d].in[k]) != made.end();
      if (reads && !how.reads_own(d, k, pieces)) return false;
    }
  }
  return true;
}

// Merges adjacent drafts around each anchor (see GroupingRule).
void FunctionBuilder::Gather(const GroupingRule& how) {
  std::vector<Draft> grouped;
  size_t begin = 0;  // the first draft that is not yet in a group
  for (size_t a = 0; a < drafts_.size(); ++a) {
    const int64_t pieces = a < begin ? 0 : how.pieces(a);
    if (pieces == 0) continue;
    size_t first = a;
    while (first > begin && how.works(first - 1, pieces)) --first;
    for (size_t d = first + 1; d <= a; ++d) {
      if (!Joins(how, first, d, pieces)) first = d;
    }
    size_t end = a + 1;
    while (end < drafts_.size() && Joins(how, first, end, pieces)) ++end;
    auto group = end - first > 1 ? how.group(first, end, pieces) : std::nullopt;
    if (!group.has_value()) continue;
    for (size_t d = begin; d < first; ++d) grouped.push_back(std::move(drafts_[d]));
    grouped.push_back(*std::move(group));
    begin = end;
  }
  for (size_t d = begin; d < drafts_.size(); ++d) grouped.push_back(std::move(drafts_[d]));
  drafts_ = std::move(grouped);
}

FunctionBuilder::BufferMapping FunctionBuilder::BufferMappingOf(size_t first, size_t end) const {
  using Kind = OperandLocation::Kind;
  BufferMapping wiring;
  std::vector<std::pair<int32_t, OperandLocation>> made;
  const auto place_in = [&](int32_t buffer) -> OperandLocation {
    if (buffer < 0) return {Kind::kIn, -1};
    for (const auto& [own, place] : made) {
      if (own == buffer) return place;
    }
    auto found = std::find(wiring.in.begin(), wiring.in.end(), buffer);
    if (found == wiring.in.end()) found = wiring.in.insert(found, buffer);
    return {Kind::kIn, static_cast<int32_t>(found - wiring.in.begin())};
  };
  const auto place_out = [&](int32_t buffer) -> OperandLocation {
    const bool outside = IsReadOutside(buffer, first, end);
    std::vector<int32_t>& list = outside ? wiring.out : wiring.internal;
    list.push_back(buffer);
    return {outside ? Kind::kOut : Kind::kInternal, static_cast<int32_t>(list.size()) - 1};
  };
  for (size_t d = first; d < end; ++d) {
    BufferMapping::Member& member = wiring.members.emplace_back();
    for (int32_t buffer : drafts_[d].in) member.in.push_back(place_in(buffer));
    for (int32_t buffer : drafts_[d].out) {
      member.out.push_back(place_out(buffer));
      made.push_back({buffer, member.out.back()});
    }
  }
  return wiring;
}

}  // namespace hlocts::cpu
