// SPDX-License-Identifier: Apache-2.0
// The tiles that custom calls of manual regions split and join (ruling 0123).
#ifndef HLOCTS_SPEC_TEXT_SHARDING_CALLS_H_
#define HLOCTS_SPEC_TEXT_SHARDING_CALLS_H_

#include <vector>

#include "spec/ir/instruction.h"
#include "spec/ir/sharding.h"
#include "spec/ops/partitions.h"

namespace hlocts {

// For either end of a manual region: the grid of each leaf over `partitions` devices, with one tile
// for dimensions that the region does not split. InvalidArgument: shapes that do not fit the
// annotation, or another number of devices. Unimplemented: no annotation assigns parts to devices.
absl::StatusOr<std::vector<TileGrid>> GridsOfCall(const Instruction& call, int64_t partitions);

// The number of partitions of the module's manual regions; 1 without any.
int64_t PartitionsOfManualRegions(const Module& module);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_TEXT_SHARDING_CALLS_H_
