// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/tiles.h"

#include <algorithm>
#include <cstring>

namespace hlocts {

namespace {

int64_t TiledRank(const Shape& leaf) { return leaf.IsArray() ? leaf.rank() : 0; }

}  // namespace

absl::Status CheckLeafTiles(const Sharding& sharding, const Shape& shape, int64_t devices) {
  const std::vector<Shape> leaves = LeafShapes(shape);
  if (sharding.type == Sharding::Type::kTuple && sharding.tuple_shardings.size() != leaves.size()) {
    return InvalidInput("expected a sharding of ", leaves.size(), " leaves, found ",
                        sharding.tuple_shardings.size());
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    HLOCTS_RETURN_IF_ERROR(
        CheckTiles(LeafSharding(sharding, static_cast<int64_t>(i)), TiledRank(leaves[i]), devices));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<TileGrid>> LeafGrids(const Sharding* sharding, const Shape& shape,
                                                int64_t devices) {
  const std::vector<Shape> leaves = LeafShapes(shape);
  const Sharding replicated;
  if (sharding == nullptr) sharding = &replicated;
  HLOCTS_RETURN_IF_ERROR(CheckLeafTiles(*sharding, shape, devices));
  std::vector<TileGrid> grids;
  for (size_t i = 0; i < leaves.size(); ++i) {
    HLOCTS_ASSIGN_OR_RETURN(grids.emplace_back(),
                            TileGridOf(LeafSharding(*sharding, static_cast<int64_t>(i)),
                                       TiledRank(leaves[i]), devices));
  }
  return grids;
}

bool IsWhole(const TileGrid& grid) {
  return std::all_of(grid.counts.begin(), grid.counts.end(), [](int64_t n) { return n == 1; });
}

Shape TileShape(const TileGrid& grid, const Shape& array) {
  return Shape(array.element_type(), ShardOf(grid, array, 0).sizes);
}

Literal TileOfDevice(const Literal& full, const TileGrid& grid, int64_t device) {
  Literal result(TileShape(grid, full.shape()));
  const int width = StorageBytes(full.element_type());
  uint8_t* out = result.mutable_raw_data();
  ForEachInTile(full.shape(), ShardOf(grid, full.shape(), device), [&](int64_t to, int64_t from) {
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
