// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "reference/ops/collective.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

int64_t IdCount(CollectiveGroupMode mode, const DeviceGrid& grid) {
  switch (mode) {
    case CollectiveGroupMode::kCrossPartition:
      return grid.partitions;
    case CollectiveGroupMode::kFlattenedId:
      return grid.size();
    default:
      return grid.replicas;
  }
}

}  // namespace

std::vector<int64_t> DevicesOfId(CollectiveGroupMode mode, const DeviceGrid& grid, int64_t device,
                                 int64_t id) {
  std::vector<int64_t> devices;
  switch (mode) {
    case CollectiveGroupMode::kCrossReplica:
      devices = {id * grid.partitions + device % grid.partitions};
      break;
    case CollectiveGroupMode::kCrossPartition:
      devices = {device / grid.partitions * grid.partitions + id};
      break;
    case CollectiveGroupMode::kCrossReplicaAndPartition:
      for (int64_t p = 0; p < grid.partitions; ++p) devices.push_back(id * grid.partitions + p);
      break;
    case CollectiveGroupMode::kFlattenedId:
      devices = {id};
      break;
  }
  return devices;
}

bool IsCollective(Opcode opcode) { return ops::CollectiveOf(opcode).has_value(); }

absl::StatusOr<std::vector<int64_t>> GroupOf(const Instruction& collective, const DeviceGrid& grid,
                                             int64_t device) {
  HLOCTS_ASSIGN_OR_RETURN(const CollectiveGroupMode mode, GroupModeOf(collective));
  const ReplicaGroups* explicit_groups = ExplicitGroupsOf(collective);
  std::vector<std::vector<int64_t>> groups;
  if (explicit_groups != nullptr) {
    groups = explicit_groups->groups;
  } else {
    groups.emplace_back(IdCount(mode, grid));
    std::iota(groups[0].begin(), groups[0].end(), 0);
  }
  for (const std::vector<int64_t>& ids : groups) {
    std::vector<int64_t> devices;
    for (int64_t id : ids) {
      for (int64_t member : DevicesOfId(mode, grid, device, id)) devices.push_back(member);
    }
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) continue;
    for (int64_t id : ids) {
      if (id < 0 || id >= IdCount(mode, grid)) {
        return InvalidInput(collective.name(), ": replica_groups: expected ids below ",
                            IdCount(mode, grid), ", found ", id, " (replica_count=", grid.replicas,
                            ", num_partitions=", grid.partitions, ")");
      }
    }
    return devices;
  }
  if (collective.opcode() == Opcode::kCollectiveBroadcast) return std::vector<int64_t>();
  return InvalidInput(collective.name(), ": no group of replica_groups has device ", device, " of ",
                      grid.replicas, " replicas and ", grid.partitions, " partitions");
}

}  // namespace hlocts::reference
