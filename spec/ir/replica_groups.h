// SPDX-License-Identifier: Apache-2.0
// The groups that the compact forms of replica_groups name. The text reader and the proto reader
// expand both forms here, so that the groups are known to all that comes after.
#ifndef HLOCTS_SPEC_IR_REPLICA_GROUPS_H_
#define HLOCTS_SPEC_IR_REPLICA_GROUPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "spec/ir/attributes.h"

namespace hlocts {

// More devices than this are refused: a mesh of a few characters would fill the memory.
inline constexpr int64_t kMeshDevicesMax = int64_t{1} << 20;

// The number of devices in an array of these sizes: 0 when a size is 0, kMeshDevicesMax + 1 when it
// is larger than kMeshDevicesMax or a size is negative.
int64_t DeviceProduct(const std::vector<int64_t>& sizes);

// Whether `ids` holds each of 0, 1, ..., ids.size() - 1 once.
bool IsPermutation(std::vector<int64_t> ids);

// The ids 0, 1, ... in an array of these sizes, read in row-major order after its dimensions have
// been transposed; an empty permutation leaves them as they are. An error for sizes or permutations
// that fit no array, and for more than kMeshDevicesMax ids.
absl::StatusOr<std::vector<int64_t>> ExpandIota(const std::vector<int64_t>& sizes,
                                                std::vector<int64_t> permutation);

// Sets `groups->groups` from the iota or mesh form in the other fields. In the mesh form a group is
// what the grouped axes span, and there is one for each place on the others, in row-major order.
// Errors name the axis, the part or the list of devices that fits no mesh.
absl::Status ExpandReplicaGroups(ReplicaGroups* groups);

// "mesh['x'=2,'y'=8], device_ids=(...) {'x','y':(2)4}", as XLA prints it.
std::string MeshAxesText(const MeshAxes& mesh);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_REPLICA_GROUPS_H_
