// SPDX-License-Identifier: Apache-2.0
// The participants of a collective: groups of replicas, of partitions, or of both (ruling 0044).
// Shape rules use them for the size of a group, reference/world for execution.
#ifndef HLOCTS_SPEC_INFER_COLLECTIVE_H_
#define HLOCTS_SPEC_INFER_COLLECTIVE_H_

#include <cstdint>

#include "spec/base/status.h"
#include "spec/ir/attributes.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// The meaning of the ids in replica_groups (or source_target_pairs).
enum class CollectiveGroupMode : uint8_t {
  kCrossReplica,              // replicas; each partition on its own
  kCrossPartition,            // partitions; each replica on its own
  kCrossReplicaAndPartition,  // replicas, each with all its partitions
  kFlattenedId,               // replica * num_partitions + partition
};

// The mode from channel_id and use_global_device_ids; an error for a combination without a meaning.
absl::StatusOr<CollectiveGroupMode> GroupModeOf(const Instruction& collective);

// The number of ids in that mode. Module counts of 1 may mean "not stated"; the result is 1 then.
int64_t ParticipantCount(const Instruction& collective, CollectiveGroupMode mode);

// Devices in the first group; 0 if neither groups nor module state it.
int64_t GroupSizeOf(const Instruction& collective, CollectiveGroupMode mode);

// replica_groups of the collective; nullptr if absent or empty (one group of all, in order).
const ReplicaGroups* ExplicitGroupsOf(const Instruction& collective);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_INFER_COLLECTIVE_H_
