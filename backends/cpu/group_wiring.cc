// Drafts that become one step: what they read from outside, hand each other and leave behind.
#include <algorithm>

#include "backends/cpu/function_builder.h"

namespace hlocts::cpu {

// Whether a draft outside [first, end) reads the buffer, or the caller does.
bool FunctionBuilder::IsReadOutside(int32_t buffer, size_t first, size_t end) const {
  if (buffers_[buffer].result >= 0) return true;
  for (size_t d = end; d < drafts_.size(); ++d) {
    const std::vector<int32_t>& in = drafts_[d].in;
    if (std::find(in.begin(), in.end(), buffer) != in.end()) return true;
  }
  return false;
}

FunctionBuilder::Wiring FunctionBuilder::WiringOf(size_t first, size_t end) const {
  using Kind = GroupPlace::Kind;
  Wiring wiring;
  std::vector<std::pair<int32_t, GroupPlace>> made;
  const auto place_in = [&](int32_t buffer) -> GroupPlace {
    if (buffer < 0) return {Kind::kIn, -1};
    for (const auto& [own, place] : made) {
      if (own == buffer) return place;
    }
    auto found = std::find(wiring.in.begin(), wiring.in.end(), buffer);
    if (found == wiring.in.end()) found = wiring.in.insert(found, buffer);
    return {Kind::kIn, static_cast<int32_t>(found - wiring.in.begin())};
  };
  const auto place_out = [&](int32_t buffer) -> GroupPlace {
    const bool outside = IsReadOutside(buffer, first, end);
    std::vector<int32_t>& list = outside ? wiring.out : wiring.internal;
    list.push_back(buffer);
    return {outside ? Kind::kOut : Kind::kInternal, static_cast<int32_t>(list.size()) - 1};
  };
  for (size_t d = first; d < end; ++d) {
    Wiring::Member& member = wiring.members.emplace_back();
    for (int32_t buffer : drafts_[d].in) member.in.push_back(place_in(buffer));
    for (int32_t buffer : drafts_[d].out) {
      member.out.push_back(place_out(buffer));
      made.push_back({buffer, member.out.back()});
    }
  }
  return wiring;
}

}  // namespace hlocts::cpu
