// SPDX-License-Identifier: Apache-2.0
// Expands the compact forms of replica_groups. The text reader and the proto reader expand both
// forms here, so that later code sees explicit groups.
#ifndef HLOCTS_SPEC_IR_REPLICA_GROUPS_H_
#define HLOCTS_SPEC_IR_REPLICA_GROUPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "spec/ir/attributes.h"

namespace hlocts {

// More devices than this are refused: otherwise a mesh of a few characters could fill the memory.
inline constexpr int64_t kMeshDevicesMax = int64_t{1} << 20;

// The number of devices in an array of these sizes: 0 when a size is 0, kMeshDevicesMax + 1 when it
// is larger than kMeshDevicesMax or a size is negative.
int64_t DeviceProduct(const std::vector<int64_t>& sizes);

// Returns true if `ids` holds each of 0, 1, ..., ids.size() - 1 once.
bool IsPermutation(std::vector<int64_t> ids);

// The ids 0, 1, ... as an array of these sizes, transposed and read in row-major order; an empty
// permutation means the identity. An error for invalid sizes or permutations, and for more than
// kMeshDevicesMax ids.
absl::StatusOr<std::vector<int64_t>> ExpandIota(const std::vector<int64_t>& sizes,
                                                std::vector<int64_t> permutation);

// Sets `groups->groups` from the iota or mesh form in the other fields. In the mesh form the
// grouped axes span a group, and there is one group for each position on the other axes, in
// row-major order. Errors name the invalid axis, part or list of devices.
absl::Status ExpandReplicaGroups(ReplicaGroups* groups);

// "mesh['x'=2,'y'=8], device_ids=(...) {'x','y':(2)4}", as XLA prints it.
std::string MeshAxesText(const MeshAxes& mesh);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_REPLICA_GROUPS_H_
