// SPDX-License-Identifier: Apache-2.0
// Converts between an array and its tiles on devices (spec/ir/sharding.h).
#pragma once

#include <vector>

#include "spec/ir/index_util.h"
#include "spec/ir/literal.h"
#include "spec/ir/sharding.h"

namespace hlocts {

// Returns the grid of each leaf of an array or tuple. If `sharding` is null, every device has the
// whole of each leaf. Returns the errors of TileGridOf, and InvalidArgument if a tuple sharding has
// a different number of leaves.
absl::StatusOr<std::vector<TileGrid>> LeafGrids(const Sharding* sharding, const Shape& shape,
                                                int64_t devices);
// Returns the error of LeafGrids.
absl::Status CheckLeafTiles(const Sharding& sharding, const Shape& shape, int64_t devices);
// Returns true if every device has the whole array.
bool IsWhole(const TileGrid& grid);
// Returns the shape that all tiles of an array have, padding included, without a layout.
Shape TileShape(const TileGrid& grid, const Shape& array);

// Calls visit(position in the tile, position in the array), both row-major, for each element of the
// tile that is in the array.
template <typename Visit>
void ForEachInTile(const Shape& array, const ShardTile& tile, Visit&& visit) {
  const std::vector<int64_t> inside = RowMajorStrides(tile.sizes),
                             outside = RowMajorStrides(array.dimensions());
  const int64_t start = LinearIndex(tile.offsets, outside);
  ForEachIndex(tile.valid, [&](absl::Span<const int64_t> index) {
    visit(LinearIndex(index, inside), start + LinearIndex(index, outside));
  });
}

// Returns the tile of the device, with zeros in its padding (ruling 0123).
Literal TileOfDevice(const Literal& full, const TileGrid& grid, int64_t device);
// Joins tiles[device] to the array. If several devices have the same tile, the first one is used.
Literal FullFromTiles(const Shape& full, const TileGrid& grid,
                      absl::Span<const Literal* const> tiles);

}  // namespace hlocts
