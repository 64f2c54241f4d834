// SPDX-License-Identifier: Apache-2.0
// Runs one module for all partitions (use_spmd_partitioning). The client passes and receives tiles,
// but the engine computes full arrays (rulings 0120, 0123).
#pragma once

#include <vector>

#include "spec/ir/sharding.h"
#include "spec/pjrt/table/engine.h"

namespace hlocts::pjrt {

struct Spread {
  int64_t partitions = 1;
  // True if the engine runs once for every partition, because the module has manual regions or
  // per-device feeds. Otherwise it runs only for the first partition.
  bool is_per_device = false;
  std::vector<Shape> arguments, outputs;  // whole leaves
  std::vector<TileGrid> argument_grids, output_grids;

  std::vector<Shape> ArgumentTiles() const;
  std::vector<Shape> OutputTiles() const;
};

// Returns the tilings that the annotations of the entry's parameters and root define. A leaf
// without annotation is a full array on every device. Errors are those of TileGridOf.
absl::StatusOr<Spread> SpreadOf(const Module& module, int64_t partitions);

// Joins the tiles of a request into full arrays, which are not donated. If several devices have the
// same tile, uses the tile of the first device.
ExecuteRequest Joined(const Spread& spread, const ExecuteRequest& tiles);
// Splits a result of whole arrays into the tiles of every device.
ExecuteResult Split(const Spread& spread, ExecuteResult whole);

}  // namespace hlocts::pjrt
