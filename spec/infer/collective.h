// SPDX-License-Identifier: Apache-2.0
// Determines the participants of a collective: groups of replicas, of partitions, or of both
// (ruling 0044). Shape rules use the size of a group; reference/world executes with these groups.
#pragma once

#include <cstdint>

#include "spec/base/status.h"
#include "spec/ir/attributes.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// The meaning of the ids in replica_groups or source_target_pairs.
enum class CollectiveGroupMode : uint8_t {
  kCrossReplica,              // replicas, within each partition
  kCrossPartition,            // partitions, within each replica
  kCrossReplicaAndPartition,  // replicas, each with all its partitions
  kFlattenedId,               // replica * num_partitions + partition
};

// Returns the mode that channel_id and use_global_device_ids select. Returns an error if their
// combination has no meaning.
absl::StatusOr<CollectiveGroupMode> GroupModeOf(const Instruction& collective);

// Returns the number of ids that exist in `mode`, or 1 if the module does not state its counts.
int64_t ParticipantCount(const Instruction& collective, CollectiveGroupMode mode);

// Returns the number of devices in the first group, or 0 if neither groups nor module state it.
int64_t GroupSizeOf(const Instruction& collective, CollectiveGroupMode mode);

// Sets replica_count and num_partitions of a module that states neither (both are 1) to the
// smallest counts for which its collectives name only existing devices. Texts of compilers' tests
// and pasted fragments often lack the counts. Returns true if a count changed.
bool StateDevices(Module* module);

// Returns the replica_groups of the collective. Returns nullptr if they are absent or empty, which
// means one group of all participants in order.
const ReplicaGroups* ExplicitGroupsOf(const Instruction& collective);

}  // namespace hlocts
