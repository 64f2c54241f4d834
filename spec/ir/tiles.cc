// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/tiles.h"

#include <cstring>

#include "spec/ir/index_util.h"

namespace hlocts {
namespace {

// copy(position in the tile, position in the array) for each element of the tile that exists.
template <typename Copy>
void ForEachInTile(const Shape& full, const ShardTile& tile, Copy&& copy) {
  const std::vector<int64_t> inside = RowMajorStrides(tile.sizes),
                             outside = RowMajorStrides(full.dimensions());
  const int64_t start = LinearIndex(tile.offsets, outside);
  ForEachIndex(tile.valid, [&](absl::Span<const int64_t> index) {
    copy(LinearIndex(index, inside), start + LinearIndex(index, outside));
  });
}

}  // namespace

Literal TileOfDevice(const Literal& full, const TileGrid& grid, int64_t device) {
  const ShardTile tile = ShardOf(grid, full.shape(), device);
  Literal result(Shape(full.element_type(), tile.sizes));
  const int width = StorageBytes(full.element_type());
  uint8_t* out = result.mutable_raw_data();
  ForEachInTile(full.shape(), tile, [&](int64_t to, int64_t from) {
    std::memcpy(out + to * width, full.raw_data() + from * width, width);
  });
  return result;
}

Literal FullFromTiles(const Shape& full, const TileGrid& grid,
                      absl::Span<const Literal* const> tiles) {
  Literal result(Shape(full.element_type(), full.dimensions()));
  const int width = StorageBytes(full.element_type());
  uint8_t* out = result.mutable_raw_data();
  for (size_t device = tiles.size(); device-- > 0;) {
    const uint8_t* in = tiles[device]->raw_data();
    ForEachInTile(
        full, ShardOf(grid, full, static_cast<int64_t>(device)),
        [&](int64_t from, int64_t to) { std::memcpy(out + to * width, in + from * width, width); });
  }
  return result;
}

}  // namespace hlocts
