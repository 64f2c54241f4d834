// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/joint_values.h"

#include <algorithm>
#include <cstring>

namespace hlocts {
namespace {

// Reconstructs the value that the predicate reads from the array. Missing elements are zero.
Literal MovedBack(const MovedJoint& moved, const Literal& array) {
  Literal value(moved.shape);
  const int64_t bytes = StorageBytes(moved.shape.element_type());
  for (size_t i = 0; i < moved.places.size(); ++i) {
    if (moved.places[i] < 0) continue;
    std::memcpy(value.mutable_raw_data() + static_cast<int64_t>(i) * bytes,
                array.raw_data() + moved.places[i] * bytes, static_cast<size_t>(bytes));
  }
  return value;
}

}  // namespace

JointValues::JointValues(const ModuleAcceptance& accepted, absl::Span<const Literal> actual) {
  for (size_t i = 0; i < accepted.leaves.size(); ++i) {
    const SetArray& set = accepted.leaves[i].set;
    if (set.joint == nullptr) continue;
    const Literal* value = &actual[i];
    if (set.joint_moved) value = &moved_back_.emplace_back(MovedBack(*set.joint_moved, actual[i]));
    std::vector<const Literal*>& values = slots_[set.joint.get()];
    values.resize(set.joint->slot_count());
    values[set.joint_slot] = value;
    outputs_[{set.joint.get(), set.joint_slot}] = static_cast<int64_t>(i);
  }
}

int64_t JointValues::OutputOf(const JointPredicate& predicate, int slot) const {
  auto found = outputs_.find({&predicate, slot});
  if (found == outputs_.end()) found = outputs_.lower_bound({&predicate, 0});
  return found->second;
}

int64_t JointValues::PlaceOf(const SetArray& set, int64_t index) {
  if (set.joint_moved == nullptr) return index;
  return std::max<int64_t>(0, set.joint_moved->places[index]);
}

}  // namespace hlocts
