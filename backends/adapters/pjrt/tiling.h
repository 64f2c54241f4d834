// SPDX-License-Identifier: Apache-2.0
// Divides a sharded module's arrays among devices: splits arguments into tiles, assembles results.
// Tiles have ceil(dimension / count) elements; the last tiles are padded (spec/ir/sharding.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "spec/ir/attributes.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"
#include "spec/ir/tiles.h"

namespace hlocts::backends {

struct Tiling : TileGrid {
  std::string type_of_rest;  // "manual", "unreduced": values differ in a subgroup

  // Returns the tile number of each device, row-major over `counts`.
  std::vector<int64_t> TileNumbers() const;
};

// Returns the tiling of an annotation. Errors are those of TileGridOf.
absl::StatusOr<Tiling> TilingOf(const Sharding& sharding, int64_t rank, int64_t devices);

// Returns the tilings of the leaves of the entry's parameters. ResultTilings does the same for the
// root. An array without annotation is replicated. Both return kUnimplemented if the contents of a
// leaf differ by device (manual, unreduced).
absl::StatusOr<std::vector<Tiling>> ArgumentTilings(const Module& module);
absl::StatusOr<std::vector<Tiling>> ResultTilings(const Module& module);

// Like ArgumentTilings, for an array or tuple with the given annotation.
absl::StatusOr<std::vector<Tiling>> LeafTilings(const Sharding& sharding, const Shape& shape,
                                                int64_t devices);

// Returns the tile of `device`. Padding is filled with NaNs, huge and negative numbers.
Literal TileOf(const Literal& array, const Tiling& tiling, int64_t device);

// `array` is assembled without padding from the tiles of all devices. If several devices have a
// tile, that of the first device is used. If copies of an element differ, `other` has a copy that
// differs from that in `array`.
struct Assembled {
  Literal array, other;
  bool equal = true;  // the copies of each element are equal or all NaN
};
Assembled Assemble(const std::vector<const Literal*>& tiles, const Tiling& tiling,
                   const Shape& array);

}  // namespace hlocts::backends
