// SPDX-License-Identifier: Apache-2.0
// The arrays of a sharded module on its devices: which tile each holds, arguments cut into tiles,
// results put together. (Tiles of ceil(dimension / count) elements, the last ones padded: XLA's
// xla_data.proto, OpSharding.)
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

namespace hlocts::backends {

struct Tiling {
  std::vector<int64_t> counts;   // tiles along each dimension; all 1: each device has the array
  std::vector<int64_t> tile_of;  // of each device, row-major over `counts`
  std::string type_of_rest;      // "manual", "unreduced": what the dimensions behind the tiles are

  Shape TileShape(const Shape& array) const;
};

// kInvalidArgument: the annotation does not fit the array or the devices. kUnimplemented: a form
// that no document describes. The numbers of devices in the form `mesh[...]` count row-major.
absl::StatusOr<Tiling> TilingOf(const Sharding& sharding, int64_t rank, int64_t devices);

// Of the leaves of the entry's parameters and of its root. An array without annotation is whole on
// every device. kUnimplemented: a leaf that differs from device to device (manual, unreduced).
absl::StatusOr<std::vector<Tiling>> ArgumentTilings(const Module& module);
absl::StatusOr<std::vector<Tiling>> ResultTilings(const Module& module);

// The tile of that device. What lies beyond the array is poison: NaNs, huge and negative numbers.
Literal TileOf(const Literal& array, const Tiling& tiling, int64_t device);

// The array that the tiles of all devices are of, from the first device that has each; padding is
// dropped. `other` has another device's copy of each element that has two.
struct Assembled {
  Literal array, other;
  bool equal = true;  // two NaNs are
};
Assembled Assemble(const std::vector<const Literal*>& tiles, const Tiling& tiling,
                   const Shape& array);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ADAPTERS_PJRT_TILING_H_
