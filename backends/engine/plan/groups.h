// SPDX-License-Identifier: Apache-2.0
// The devices that take part in a collective, as seen from one device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/engine/plan/communicator.h"
#include "spec/infer/collective.h"

namespace hlocts::plan {

struct CollectivePlan {
  std::string name, site;
  CollectiveGroupMode mode = CollectiveGroupMode::kCrossReplica;
  bool has_groups = false;
  std::vector<std::vector<int64_t>> groups;  // the ids of the participants, replicas or partitions
  bool may_be_left_out = false;
  std::vector<std::pair<int64_t, int64_t>> pairs;  // source_target_pairs
};
absl::StatusOr<CollectivePlan> CollectivePlanOf(const Instruction& instruction);

// Returns the devices that an id in replica_groups denotes, as seen from `device`.
std::vector<int64_t> DevicesOf(CollectiveGroupMode mode, const Communicator& world, int64_t device,
                               int64_t id);
// Returns the devices that participate together with `device`, in order. The result is empty if
// `device` does not participate.
absl::StatusOr<std::vector<int64_t>> GroupOf(const CollectivePlan& plan, const Communicator& world,
                                             int64_t device);

using DevicePairs = std::vector<std::pair<int64_t, int64_t>>;
// Returns the pairs of devices that a send and its recv connect, such as "{{0,1},{1,2}}". Returns
// nullopt if the instruction has no such attribute; each device then sends to itself.
std::optional<DevicePairs> SendRecvPairsOf(const Instruction& instruction);

}  // namespace hlocts::plan
