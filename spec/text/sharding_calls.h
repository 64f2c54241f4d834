// SPDX-License-Identifier: Apache-2.0
// Determines the tiles that the custom calls of manual regions split and join (ruling 0123).
#pragma once

#include <vector>

#include "spec/ir/instruction.h"
#include "spec/ir/sharding.h"

namespace hlocts {

// For a call that begins or ends a manual region, returns the grid of each leaf over `partitions`
// devices. A dimension that the region does not split has one tile. Returns InvalidArgument if the
// shapes or the number of devices do not fit the annotation, and Unimplemented if no annotation
// says which part each device has.
absl::StatusOr<std::vector<TileGrid>> GridsOfCall(const Instruction& call, int64_t partitions);

// Returns the number of partitions of the module's manual regions, or 1 if there are none.
int64_t PartitionsOfManualRegions(const Module& module);

}  // namespace hlocts
