// SPDX-License-Identifier: Apache-2.0
// The arrays of a sharded module on its devices: arguments cut into tiles, results assembled. Tiles
// have ceil(dimension / count) elements, the last ones with padding (spec/ir/sharding.h).
#ifndef HLOCTS_BACKENDS_ADAPTERS_PJRT_TILING_H_
#define HLOCTS_BACKENDS_ADAPTERS_PJRT_TILING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "spec/ir/attributes.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"
#include "spec/ir/sharding.h"

namespace hlocts::backends {

struct Tiling : TileGrid {
  std::string type_of_rest;  // "manual", "unreduced": a subgroup in which devices hold other values

  Shape TileShape(const Shape& array) const;
  // The number of each device's tile, row-major over `counts`.
  std::vector<int64_t> TileNumbers() const;
};

// Errors are those of TileGridOf.
absl::StatusOr<Tiling> TilingOf(const Sharding& sharding, int64_t rank, int64_t devices);

// Tilings of the leaves of the entry's parameters, and of its root. An array without annotation is
// whole on every device. kUnimplemented: a leaf that differs from device to device (manual,
// unreduced).
absl::StatusOr<std::vector<Tiling>> ArgumentTilings(const Module& module);
absl::StatusOr<std::vector<Tiling>> ResultTilings(const Module& module);

// Tilings of the leaves of an array or tuple with that annotation; errors as above.
absl::StatusOr<std::vector<Tiling>> LeafTilings(const Sharding& sharding, const Shape& shape,
                                                int64_t devices);

// The tile of that device. Padding is poison: NaNs, huge and negative numbers.
Literal TileOf(const Literal& array, const Tiling& tiling, int64_t device);

// The array assembled from the tiles of all devices, each tile from the first device that has it,
// without padding. `other` has a differing copy of each element that has one.
struct Assembled {
  Literal array, other;
  bool equal = true;  // two NaNs are
};
Assembled Assemble(const std::vector<const Literal*>& tiles, const Tiling& tiling,
                   const Shape& array);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ADAPTERS_PJRT_TILING_H_
