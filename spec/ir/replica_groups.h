// SPDX-License-Identifier: Apache-2.0
// Expands the compact forms of replica_groups when texts and protos are read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "spec/ir/attributes.h"

namespace hlocts {

// The maximum number of devices. Without it, a mesh of a few characters could fill the memory.
inline constexpr int64_t kMeshDevicesMax = int64_t{1} << 20;

// Returns the number of devices in an array of these sizes. Returns 0 if a size is 0, and
// kMeshDevicesMax + 1 if the number is larger than kMeshDevicesMax or a size is negative.
int64_t DeviceProduct(const std::vector<int64_t>& sizes);

// Returns true if `ids` contains each of 0, 1, ..., ids.size() - 1 once.
bool IsPermutation(std::vector<int64_t> ids);

// Returns the ids 0, 1, ... as an array of these sizes, transposed and read in row-major order. An
// empty permutation means the identity. Errors: invalid sizes or permutations, more than
// kMeshDevicesMax ids.
absl::StatusOr<std::vector<int64_t>> ExpandIota(const std::vector<int64_t>& sizes,
                                                std::vector<int64_t> permutation);

// Sets `groups->groups` from the iota or mesh form in the other fields. In the mesh form, the
// grouped axes span a group, and there is one group for each position on the other axes, in
// row-major order. Errors name the invalid axis, part or list of devices.
absl::Status ExpandReplicaGroups(ReplicaGroups* groups);

// Returns "mesh['x'=2,'y'=8], device_ids=(...) {'x','y':(2)4}", as XLA prints it.
std::string MeshAxesText(const MeshAxes& mesh);

}  // namespace hlocts
