// SPDX-License-Identifier: Apache-2.0
// Determines which part of an array each device has under a sharding annotation (ruling 0120). All
// text and proto forms are lowered to the fields of `Sharding` that these functions read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/base/status.h"
#include "spec/ir/attributes.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts {

// The number of tiles along each dimension, and each device's tile; devices may have the same tile.
struct TileGrid {
  std::vector<int64_t> counts;                // [dimension]
  std::vector<std::vector<int64_t>> indices;  // [device][dimension]
  bool operator==(const TileGrid&) const = default;
};

// A device's tile of an array. Every tile has size ceil(dimension / count) along each dimension
// (`sizes`). The first `valid` positions exist in the array; the rest is padding.
struct ShardTile {
  std::vector<int64_t> offsets, sizes, valid;  // [dimension]
};

// Returns the grid of an array of `rank` dimensions over `devices` devices. Every device has the
// whole array if the sharding is replicated, maximal (a placement), manual, unknown or unreduced.
// Subgroups of these kinds in the last dimensions of the tile assignment are replicas. Returns
// InvalidArgument for a tuple sharding, a wrong number of tile dimensions, and a device that is
// repeated, missing or not one of `devices`.
absl::StatusOr<TileGrid> TileGridOf(const Sharding& sharding, int64_t rank, int64_t devices);
// Returns the error of TileGridOf.
absl::Status CheckTiles(const Sharding& sharding, int64_t rank, int64_t devices);
ShardTile ShardOf(const TileGrid& grid, const Shape& array, int64_t device);

// Returns the number of devices that the annotation names, or 1 if it names none.
int64_t DeviceCountOf(const Sharding& sharding);
// Returns the sharding of a leaf of a tuple. Shardings other than tuples apply to all leaves.
const Sharding& LeafSharding(const Sharding& sharding, int64_t leaf);
// Returns true if some dimension of the array is not a multiple of its number of tiles.
bool IsUneven(const Sharding& sharding, const Shape& array);
// Returns true if some leaf is the sum of the values of all devices or of a subgroup (ruling 0124).
bool IsUnreduced(const Sharding& sharding);

// An axis of a mesh. A named sharding (Shardy) has a mesh of axes and, for each dimension of the
// array, the axes that shard it, major first.
struct MeshAxis {
  std::string name;
  int64_t size = 1;
};
struct Mesh {
  std::vector<MeshAxis> axes;
  std::vector<int64_t> devices;  // in row-major order of the axes; empty: 0, 1, 2, ...
};
// The second of the three factors pre * size * rest into which an axis is split.
struct AxisPart {
  int64_t axis = 0, pre = 1, size = 1;
  bool operator==(const AxisPart&) const = default;
};
struct NamedSharding {
  Mesh mesh;
  std::vector<std::vector<AxisPart>> dimensions;
  std::vector<AxisPart> manual, unreduced;  // all other axes, named or not, are replicated
};
// Converts to the older form, except for raw_text. Returns InvalidArgument for a repeated axis, a
// part that does not divide its axis, or devices that are not a permutation.
absl::Status LowerNamedSharding(const NamedSharding& named, Sharding* sharding);
// Returns the grid that the axes in `only` define. In a manual region it gives each device's part.
absl::StatusOr<TileGrid> TileGridOf(const NamedSharding& named, absl::Span<const int64_t> only);

// Return the module's first instruction with an unreduced or uneven sharding; nullptr if none.
const Instruction* FirstUnreduced(const Module& module);
const Instruction* FirstUneven(const Module& module);

}  // namespace hlocts
