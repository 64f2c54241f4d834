// SPDX-License-Identifier: Apache-2.0
// Custom calls that speak of shardings (ruling 0123): annotations of a value, and the ends of a
// manual region, inside which each device computes on its own part.
#ifndef HLOCTS_SPEC_TEXT_SHARDING_CALLS_H_
#define HLOCTS_SPEC_TEXT_SHARDING_CALLS_H_

#include <optional>
#include <vector>

#include "spec/ir/instruction.h"
#include "spec/ir/sharding.h"

namespace hlocts {

enum class ShardingCall : uint8_t {
  kAnnotation,   // hands on its operands
  kFullToShard,  // the device's own tile of each operand
  kShardToFull,  // the whole of what each device holds a tile of
};
std::optional<ShardingCall> ShardingCallOf(const Instruction& instruction);

// For the two ends of a manual region: the grid of each leaf over `partitions` devices, dimensions
// that the region does not cut counted as one tile. InvalidArgument: shapes that do not fit the
// annotation, or another number of devices. Unimplemented: no annotation says which part is whose.
absl::StatusOr<std::vector<TileGrid>> GridsOfCall(const Instruction& call, int64_t partitions);

// How many partitions the manual regions of the module are written for; 1 without any.
int64_t PartitionsOfManualRegions(const Module& module);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_TEXT_SHARDING_CALLS_H_
