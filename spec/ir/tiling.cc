// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/tiling.h"

#include <algorithm>
#include <utility>

#include "spec/ir/index_util.h"

namespace hlocts {
namespace {

constexpr int64_t kElementsMax = int64_t{1} << 28;

struct Extent {
  int64_t size = 1, index = 0;
};

// Splits the minor dimensions, as many as the tile has, into tile number and position in the tile.
std::vector<Extent> Split(std::vector<Extent> extents, const std::vector<int64_t>& tile) {
  if (extents.size() < tile.size())
    extents.insert(extents.begin(), tile.size() - extents.size(), Extent());
  const size_t first = extents.size() - tile.size();
  std::vector<Extent> within;
  for (size_t d = 0; d < tile.size(); ++d) {
    Extent& extent = extents[first + d];
    within.push_back({tile[d], extent.index % tile[d]});
    extent = {(extent.size + tile[d] - 1) / tile[d], extent.index / tile[d]};
  }
  extents.insert(extents.end(), within.begin(), within.end());
  return extents;
}

int64_t ClampedProduct(int64_t a, int64_t b) {
  return a != 0 && b > kElementsMax / a ? kElementsMax + 1 : a * b;
}

// Returns the number of positions in memory, at most kElementsMax + 1, and the position of `index`.
Extent InMemory(absl::Span<const int64_t> dimensions, absl::Span<const int64_t> index,
                const Layout& layout) {
  std::vector<Extent> extents;
  for (auto d = layout.minor_to_major.rbegin(); d != layout.minor_to_major.rend(); ++d)
    extents.push_back({dimensions[*d], index[*d]});
  for (const Tile& tile : layout.tiles) extents = Split(std::move(extents), tile.dimensions);
  Extent all;
  for (const Extent& extent : extents)
    all = {ClampedProduct(all.size, extent.size), all.index * extent.size + extent.index};
  return all;
}

}  // namespace

absl::StatusOr<TiledPositions> PositionsInTiles(absl::Span<const int64_t> dimensions,
                                                const Layout& layout) {
  for (const Tile& tile : layout.tiles) {
    if (std::count(tile.dimensions.begin(), tile.dimensions.end(), Tile::kCombine) > 0)
      return absl::UnimplementedError("tiles that combine dimensions are not supported");
  }
  TiledPositions result;
  result.size = InMemory(dimensions, std::vector<int64_t>(dimensions.size()), layout).size;
  if (result.size > kElementsMax) return absl::UnimplementedError("the tiled array is too large");
  ForEachIndex(dimensions, [&](absl::Span<const int64_t> index) {
    result.positions.push_back(InMemory(dimensions, index, layout).index);
  });
  return result;
}

}  // namespace hlocts
