// SPDX-License-Identifier: Apache-2.0
// One module for all partitions (use_spmd_partitioning): a client passes and takes tiles, the
// engine computes whole arrays (rulings 0120, 0123).
#ifndef HLOCTS_SPEC_PJRT_TABLE_SPREAD_H_
#define HLOCTS_SPEC_PJRT_TABLE_SPREAD_H_

#include <vector>

#include "spec/ir/sharding.h"
#include "spec/pjrt/table/engine.h"

namespace hlocts::pjrt {

struct Spread {
  int64_t partitions = 1;
  // The engine runs on every partition: the module has manual regions, or feeds of a device. Else
  // it runs on the first.
  bool is_per_device = false;
  std::vector<Shape> arguments, outputs;  // leaves, whole
  std::vector<TileGrid> argument_grids, output_grids;

  std::vector<Shape> ArgumentTiles() const;
  std::vector<Shape> OutputTiles() const;
};

// By the annotations of the entry's parameters and root; a leaf without one is whole on every
// device. Errors are those of TileGridOf.
absl::StatusOr<Spread> SpreadOf(const Module& module, int64_t partitions);

// The request of tiles, as one of whole arrays without donation. Where devices hold the same tile,
// the first of them counts.
ExecuteRequest Joined(const Spread& spread, const ExecuteRequest& tiles);
// The tiles of every device.
ExecuteResult Split(const Spread& spread, ExecuteResult whole);

}  // namespace hlocts::pjrt

#endif  // HLOCTS_SPEC_PJRT_TABLE_SPREAD_H_
