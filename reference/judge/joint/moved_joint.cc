// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/joint/moved_joint.h"

#include <memory>
#include <utility>
#include <vector>

#include "spec/judge/joint.h"

namespace hlocts::reference {
namespace {

bool HasUnspecifiedNeighbour(absl::Span<const int64_t> from, const SetArray& result) {
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] < 0 && result.At(static_cast<int64_t>(i)).unspecified()) return true;
  }
  return false;
}

// Returns the first position in the result of each of the `count` source elements, or -1.
std::vector<int64_t> PlacesOf(absl::Span<const int64_t> from, int64_t count) {
  std::vector<int64_t> places(count, -1);
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] >= 0 && places[from[i]] < 0) places[from[i]] = static_cast<int64_t>(i);
  }
  return places;
}

bool LacksElements(const JointPredicate& joint, int slot, const MovedJoint& moved) {
  for (size_t i = 0; i < moved.places.size(); ++i) {
    if (moved.places[i] < 0 && joint.Reads(slot, static_cast<int64_t>(i))) return true;
  }
  return false;
}

}  // namespace

void PropagateJoint(const SetArray& source, absl::Span<const int64_t> from, SetArray& result) {
  if (source.joint == nullptr || result.joint != nullptr || result.exact()) return;
  if (!source.runtime_sizes.empty() || !result.runtime_sizes.empty()) return;
  if (HasUnspecifiedNeighbour(from, result)) return;
  const std::vector<int64_t> now = PlacesOf(from, source.element_count());
  auto moved = std::make_shared<MovedJoint>();
  moved->shape = source.joint_moved ? source.joint_moved->shape : source.shape();
  const int64_t count = moved->shape.ElementCount();
  moved->places.resize(count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t before = source.joint_moved ? source.joint_moved->places[i] : i;
    moved->places[i] = before < 0 ? -1 : now[before];
  }
  int slot = source.joint_slot;
  while (slot >= 0 && LacksElements(*source.joint, slot, *moved))
    slot = source.joint->SlotOfPart(slot);
  if (slot < 0) return;
  result.joint = source.joint;
  result.joint_slot = slot;
  result.joint_moved = std::move(moved);
}

}  // namespace hlocts::reference
