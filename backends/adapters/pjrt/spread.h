// SPDX-License-Identifier: Apache-2.0
// A sharded module on its devices: splits whole arrays into tiles, and joins tiles to whole arrays.
#ifndef HLOCTS_BACKENDS_ADAPTERS_PJRT_SPREAD_H_
#define HLOCTS_BACKENDS_ADAPTERS_PJRT_SPREAD_H_

#include <vector>

#include "backends/adapters/pjrt/tiling.h"
#include "backends/backend.h"

namespace hlocts::backends {

struct Spread {
  size_t devices = 1;
  std::vector<Shape> arguments, results;  // the leaves as a whole
  std::vector<Tiling> argument_tilings, result_tilings;
  bool draws = false;  // devices may draw different random numbers: copies of a tile may differ

  std::vector<Shape> ResultTiles() const;
};

// Errors are those of ArgumentTilings.
absl::StatusOr<Spread> SpreadOf(const Module& module);

// Accepts a program of a device with leaves of these shapes. If a leaf is whole although its
// annotation cuts it, as Shardy does where no axis divides it, its tiling records that.
// kUnimplemented: a leaf has a third shape.
absl::Status KeepWhole(const std::vector<Shape>& arguments, const std::vector<Shape>& results,
                       Spread& spread);

// The request of all devices. kUnimplemented: an argument of dynamic size.
absl::StatusOr<ExecuteRequest> Split(const Spread& spread, const ExecuteRequest& whole);

// [0][leaf]: the whole results. Where copies of a tile differ, [1] has the differing elements.
std::vector<std::vector<Literal>> Join(const Spread& spread,
                                       const std::vector<std::vector<Literal>>& of_devices);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ADAPTERS_PJRT_SPREAD_H_
