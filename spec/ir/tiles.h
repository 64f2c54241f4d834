// SPDX-License-Identifier: Apache-2.0
// The tiles of an array that devices hold (spec/ir/sharding.h), and the array that tiles make up.
#ifndef HLOCTS_SPEC_IR_TILES_H_
#define HLOCTS_SPEC_IR_TILES_H_

#include "spec/ir/literal.h"
#include "spec/ir/sharding.h"

namespace hlocts {

// The tile of the device, zeros in its padding (ruling 0123).
Literal TileOfDevice(const Literal& full, const TileGrid& grid, int64_t device);
// tiles[device]; where devices hold the same tile the first of them counts.
Literal FullFromTiles(const Shape& full, const TileGrid& grid,
                      absl::Span<const Literal* const> tiles);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_TILES_H_
