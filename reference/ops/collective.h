// SPDX-License-Identifier: Apache-2.0
// The result of a collective for each device once the operands of all participants are known; and
// the participants. reference/world handles waiting.
#ifndef HLOCTS_REFERENCE_OPS_COLLECTIVE_H_
#define HLOCTS_REFERENCE_OPS_COLLECTIVE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "reference/eval_context.h"
#include "spec/infer/collective.h"

namespace hlocts::reference {

// Devices are numbered replica * partitions + partition.
struct DeviceGrid {
  int64_t replicas = 1;
  int64_t partitions = 1;
  int64_t size() const { return replicas * partitions; }
};

// True for the collectives that move data between devices, their *-start forms included.
bool IsCollective(Opcode opcode);

// The devices that `device` meets in this collective, itself among them, in the order of the group
// (ruling 0044). collective-permute: all that source_target_pairs could name. Empty only for a
// collective-broadcast whose groups leave the device out. InvalidArgument when the groups name
// devices that do not exist or leave this one out.
absl::StatusOr<std::vector<int64_t>> GroupOf(const Instruction& collective, const DeviceGrid& grid,
                                             int64_t device);

// The devices of an id of replica_groups or source_target_pairs, seen from `device`.
std::vector<int64_t> DevicesOfId(CollectiveGroupMode mode, const DeviceGrid& grid, int64_t device,
                                 int64_t id);

// operands[i] are those of devices[i]; the result is that of devices[position].
struct Meeting {
  DeviceGrid grid;
  absl::Span<const int64_t> devices;
  absl::Span<const std::vector<Literal>> operands;
  int64_t position = 0;
};
absl::StatusOr<Literal> EvaluateMeeting(EvalContext& context, const Instruction& collective,
                                        const Meeting& meeting);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_OPS_COLLECTIVE_H_
