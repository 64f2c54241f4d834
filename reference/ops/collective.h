// SPDX-License-Identifier: Apache-2.0
// Computes the result of a collective for each device from the operands of all participants, and
// the set of participants. reference/world implements the wait for the participants.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "reference/eval_context.h"
#include "spec/infer/collective.h"

namespace hlocts::reference {

// The devices of a run, numbered replica * partitions + partition.
struct DeviceGrid {
  int64_t replicas = 1;
  int64_t partitions = 1;
  int64_t size() const { return replicas * partitions; }
};

// Returns true for collectives that move data between devices, including their *-start forms.
bool IsCollective(Opcode opcode);

// Returns the group of `device` in this collective, in the group's order (ruling 0044). For
// collective-permute it consists of all devices that source_target_pairs could name. The group is
// empty only for a collective-broadcast that omits the device. Returns InvalidArgument if another
// collective omits `device`, or if its group names a device that does not exist.
absl::StatusOr<std::vector<int64_t>> GroupOf(const Instruction& collective, const DeviceGrid& grid,
                                             int64_t device);

// Returns the devices that an id of replica_groups or source_target_pairs means for `device`.
std::vector<int64_t> DevicesOfId(CollectiveGroupMode mode, const DeviceGrid& grid, int64_t device,
                                 int64_t id);

// One execution of a collective: operands[i] belong to devices[i], the result to devices[position].
struct RendezvousState {
  DeviceGrid grid;
  absl::Span<const int64_t> devices;
  absl::Span<const std::vector<Literal>> operands;
  int64_t position = 0;
};
absl::StatusOr<Literal> EvaluateCollectiveAtRendezvous(EvalContext& context,
                                                       const Instruction& collective,
                                                       const RendezvousState& meeting);

}  // namespace hlocts::reference
