// SPDX-License-Identifier: Apache-2.0
// Which part of an array a device holds under a sharding annotation (ruling 0120). All text and
// proto forms are lowered to the fields of `Sharding` that are read here.
#ifndef HLOCTS_SPEC_IR_SHARDING_H_
#define HLOCTS_SPEC_IR_SHARDING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/base/status.h"
#include "spec/ir/attributes.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts {

// The number of tiles of each dimension, and the tile of each device. Devices with the same tile
// are replicas.
struct TileGrid {
  std::vector<int64_t> counts;                // [dimension]
  std::vector<std::vector<int64_t>> indices;  // [device][dimension]
  bool operator==(const TileGrid&) const = default;
};

// A device's tile of an array. Every tile has `sizes` elements, ceil(dimension / count) per
// dimension; the first `valid` of them exist in the array, the rest is padding.
struct ShardTile {
  std::vector<int64_t> offsets, sizes, valid;  // [dimension]
};

// The grid of an array of `rank` dimensions over `devices` devices. The array is whole on every
// device for replicated, maximal (a placement), manual, unknown and unreduced, and for subgroups of
// these in the last dimensions of the tile assignment. InvalidArgument: a tuple sharding, a device
// that is repeated, missing or not one of `devices`, another number of tile dimensions.
absl::StatusOr<TileGrid> TileGridOf(const Sharding& sharding, int64_t rank, int64_t devices);
ShardTile ShardOf(const TileGrid& grid, const Shape& array, int64_t device);

// The devices that the annotation names; 1 for annotations that name none.
int64_t DeviceCountOf(const Sharding& sharding);
// The sharding of a leaf of a tuple, in depth-first order; a sharding that is not a tuple applies
// to all leaves.
const Sharding& LeafSharding(const Sharding& sharding, int64_t leaf);
// Returns true if some dimension of the array is not a multiple of its tiles.
bool IsUneven(const Sharding& sharding, const Shape& array);
// Returns true if readers must sum the devices' values (ruling 0124); also for a subgroup, and in
// the leaves of a tuple.
bool IsUnreduced(const Sharding& sharding);

// Named form (Shardy): a mesh of axes, and for each dimension of the array the axes that shard it,
// major first.
struct MeshAxis {
  std::string name;
  int64_t size = 1;
};
struct Mesh {
  std::vector<MeshAxis> axes;
  std::vector<int64_t> devices;  // in row-major order of the axes; empty: 0, 1, 2, ...
};
// An axis of size pre * size * rest, or its middle part.
struct AxisPart {
  int64_t axis = 0, pre = 1, size = 1;
  bool operator==(const AxisPart&) const = default;
};
struct NamedSharding {
  Mesh mesh;
  std::vector<std::vector<AxisPart>> dimensions;
  std::vector<AxisPart> manual, unreduced;  // all other axes, named or not, are replicated
};
// Sets the fields of the older form, except raw_text. InvalidArgument: a repeated axis, a part that
// does not divide its axis, devices that are not a permutation.
absl::Status LowerNamedSharding(const NamedSharding& named, Sharding* sharding);
// The grid of only the axes in `only`: the local part in a manual region over these.
absl::StatusOr<TileGrid> TileGridOf(const NamedSharding& named, absl::Span<const int64_t> only);

// The first instruction of the module whose sharding is unreduced / uneven; nullptr: none.
const Instruction* FirstUnreduced(const Module& module);
const Instruction* FirstUneven(const Module& module);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_SHARDING_H_
