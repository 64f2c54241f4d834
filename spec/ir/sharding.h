// SPDX-License-Identifier: Apache-2.0
// Which part of an array a device holds under a sharding annotation (ruling 0120). Text and protos
// of every form are lowered to the fields of `Sharding` that this reads.
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

// A device's tile of an array. Every tile has `sizes` elements, ceil(dimension / count) a
// dimension; of these `valid` exist in the array, at its front, and the rest is padding.
struct ShardTile {
  std::vector<int64_t> offsets, sizes, valid;  // [dimension]
  bool HasPadding() const { return sizes != valid; }
};

// The grid of an array of `rank` dimensions over `devices` devices. Whole on every device:
// replicated, maximal (a placement), manual, unknown, unreduced; also over subgroups of these in
// the last dimensions of the tile assignment. InvalidArgument: a tuple sharding, a device that is
// named twice, not at all or is none of `devices`, another number of tile dimensions.
absl::StatusOr<TileGrid> TileGridOf(const Sharding& sharding, int64_t rank, int64_t devices);
ShardTile ShardOf(const TileGrid& grid, const Shape& array, int64_t device);

// The devices that the annotation names; 1 for annotations that name none.
int64_t DeviceCountOf(const Sharding& sharding);
// The sharding of a leaf of a tuple in depth-first order; a sharding that is no tuple holds for
// all.
const Sharding& LeafSharding(const Sharding& sharding, int64_t leaf);
// Some dimension of the array is no multiple of its tiles.
bool IsUneven(const Sharding& sharding, const Shape& array);
// The values of the devices are to be summed by whoever reads them (ruling 0124): also as a
// subgroup, and in the leaves of a tuple.
bool IsUnreduced(const Sharding& sharding);

// Named form (Shardy): a mesh of axes, and for each dimension of the array the axes that cut it,
// major first.
struct MeshAxis {
  std::string name;
  int64_t size = 1;
};
struct Mesh {
  std::vector<MeshAxis> axes;
  std::vector<int64_t> devices;  // in row-major order of the axes; empty: 0, 1, 2, ...
};
// An axis of size pre * size * rest, or the part of it in the middle.
struct AxisPart {
  int64_t axis = 0, pre = 1, size = 1;
  bool operator==(const AxisPart&) const = default;
};
struct NamedSharding {
  Mesh mesh;
  std::vector<std::vector<AxisPart>> dimensions;
  std::vector<AxisPart> manual, unreduced;  // all other axes, named or not: replicas
};
// The fields of the older form, all but raw_text. InvalidArgument: an axis twice, a part that does
// not divide its axis, devices that are no permutation.
absl::Status LowerNamedSharding(const NamedSharding& named, Sharding* sharding);
// The grid of the axes in `only` alone: what is local to a manual region over these.
absl::StatusOr<TileGrid> TileGridOf(const NamedSharding& named, absl::Span<const int64_t> only);

// The first instruction of the module whose sharding is unreduced / uneven; nullptr: none.
const Instruction* FirstUnreduced(const Module& module);
const Instruction* FirstUneven(const Module& module);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_SHARDING_H_
