// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/groups.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace hlocts::plan {

absl::StatusOr<CollectivePlan> CollectivePlanOf(const Instruction& instruction) {
  CollectivePlan plan;
  plan.name = instruction.name();
  HLOCTS_ASSIGN_OR_RETURN(plan.mode, GroupModeOf(instruction));
  // Collectives with the same channel communicate with each other. Without a channel, the
  // executions of one instruction communicate.
  if (const int64_t* channel = instruction.Get<int64_t>(Attr::kChannelId)) {
    plan.site = absl::StrCat(OpcodeName(instruction.opcode()), " channel ", *channel);
  } else {
    plan.site = absl::StrCat(OpcodeName(instruction.opcode()), " at ",
                             reinterpret_cast<uintptr_t>(&instruction));
  }
  if (const ReplicaGroups* groups = ExplicitGroupsOf(instruction)) {
    plan.has_groups = true;
    plan.groups = groups->groups;
  }
  plan.may_be_left_out = instruction.opcode() == Opcode::kCollectiveBroadcast;
  if (const auto* pairs =
          instruction.Get<std::vector<std::pair<int64_t, int64_t>>>(Attr::kSourceTargetPairs)) {
    plan.pairs = *pairs;
  }
  return plan;
}

std::vector<int64_t> DevicesOf(CollectiveGroupMode mode, const Communicator& world, int64_t device,
                               int64_t id) {
  const int64_t partitions = world.partitions();
  switch (mode) {
    case CollectiveGroupMode::kCrossReplica:
      return {id * partitions + device % partitions};
    case CollectiveGroupMode::kCrossPartition:
      return {device / partitions * partitions + id};
    case CollectiveGroupMode::kFlattenedId:
      return {id};
    case CollectiveGroupMode::kCrossReplicaAndPartition:
      break;
  }
  std::vector<int64_t> devices(partitions);
  std::iota(devices.begin(), devices.end(), id * partitions);
  return devices;
}

namespace {
int64_t IdCount(CollectiveGroupMode mode, const Communicator& world) {
  if (mode == CollectiveGroupMode::kCrossPartition) return world.partitions();
  return mode == CollectiveGroupMode::kFlattenedId ? world.device_count() : world.replicas();
}
}  // namespace

absl::StatusOr<std::vector<int64_t>> GroupOf(const CollectivePlan& plan, const Communicator& world,
                                             int64_t device) {
  const int64_t ids = IdCount(plan.mode, world);
  std::vector<std::vector<int64_t>> groups = plan.groups;
  if (!plan.has_groups) {
    groups.emplace_back(ids);
    std::iota(groups[0].begin(), groups[0].end(), 0);
  }
  for (const std::vector<int64_t>& group : groups) {
    std::vector<int64_t> devices;
    bool exists = true;
    for (int64_t id : group) {
      exists = exists && id >= 0 && id < ids;
      for (int64_t member : DevicesOf(plan.mode, world, device, id)) devices.push_back(member);
    }
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) continue;
    if (!exists) {
      return InvalidInput(plan.name, ": replica_groups: expected ids from 0 to ", ids - 1);
    }
    return devices;
  }
  if (plan.may_be_left_out) return std::vector<int64_t>();
  return InvalidInput(plan.name, ": no group has device ", device);
}

std::optional<DevicePairs> SendRecvPairsOf(const Instruction& instruction) {
  const auto* attributes = instruction.Get<StringMap>(Attr::kFrontendAttributes);
  if (attributes == nullptr) return std::nullopt;
  for (const auto& [key, value] : attributes->entries) {
    if (key != "_xla_send_recv_source_target_pairs") continue;
    std::vector<int64_t> numbers;
    const char* at = value.c_str();
    while (*at != '\0') {
      char* end = nullptr;
      const int64_t number = std::strtoll(at, &end, 10);
      if (end != at) numbers.push_back(number);
      at = end != at ? end : at + 1;
    }
    DevicePairs pairs;
    for (size_t i = 0; i + 1 < numbers.size(); i += 2)
      pairs.push_back({numbers[i], numbers[i + 1]});
    return pairs;
  }
  return std::nullopt;
}

}  // namespace hlocts::plan
