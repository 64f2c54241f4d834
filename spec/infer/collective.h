// SPDX-License-Identifier: Apache-2.0
// Who takes part in a collective: groups of replicas, of partitions, or of both (ruling 0044).
// Shape rules use it for the size of a group, reference/world to run them.
#ifndef HLOCTS_SPEC_INFER_COLLECTIVE_H_
#define HLOCTS_SPEC_INFER_COLLECTIVE_H_

#include <cstdint>

#include "spec/base/status.h"
#include "spec/ir/attributes.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// What the ids in replica_groups (or source_target_pairs) name.
enum class CollectiveGroupMode : uint8_t {
  kCrossReplica,              // replicas; each partition on its own
  kCrossPartition,            // partitions; each replica on its own
  kCrossReplicaAndPartition,  // replicas, each with all its partitions
  kFlattenedId,               // replica * num_partitions + partition
};

// From channel_id and use_global_device_ids; an error for a combination without a meaning.
absl::StatusOr<CollectiveGroupMode> GroupModeOf(const Instruction& collective);

// How many ids there are in that mode. Module counts of 1 may mean "not stated": then 1.
int64_t ParticipantCount(const Instruction& collective, CollectiveGroupMode mode);

// Devices in the first group; 0 when neither groups nor module say it.
int64_t GroupSizeOf(const Instruction& collective, CollectiveGroupMode mode);

// replica_groups of the collective, nullptr when absent or empty (one group of all, in order).
const ReplicaGroups* ExplicitGroupsOf(const Instruction& collective);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_INFER_COLLECTIVE_H_
