// SPDX-License-Identifier: Apache-2.0
// Prepares runs of a sharded module on its devices: splits full arrays into tiles and joins the
// tiles.
#pragma once

#include <memory>
#include <vector>

#include "backends/adapters/pjrt/tiling.h"
#include "backends/backend.h"

namespace hlocts::backends {

struct DeviceTilings {
  size_t devices = 1;
  std::vector<Shape> arguments, results;  // leaves of the full arrays
  std::vector<Tiling> argument_tilings, result_tilings;
  bool draws = false;  // devices may draw different random numbers: copies of a tile may differ

  std::vector<Shape> ResultTiles() const;
};

// Returns the tilings of a module. Errors are those of ArgumentTilings.
absl::StatusOr<DeviceTilings> DeviceTilingsOf(const Module& module);

// Adjusts the tilings to a one-device program with leaves of these shapes: a leaf with its full
// shape counts as not split. (Shardy ignores an annotation if no axis divides the leaf.)
// kUnimplemented: a leaf has neither its full shape nor that of its tile.
absl::Status KeepUnsplit(const std::vector<Shape>& arguments, const std::vector<Shape>& results,
                         DeviceTilings& spread);

// Returns the request for all devices. kUnimplemented: an argument of dynamic size.
absl::StatusOr<ExecuteRequest> Split(const DeviceTilings& spread, const ExecuteRequest& whole);

// Returns the full results as [0][leaf]. If copies of a tile differ, [1] has the differing copies.
std::vector<std::vector<Literal>> Join(const DeviceTilings& spread,
                                       const std::vector<std::vector<Literal>>& of_devices);

// Returns the program that takes and returns full arrays and whose tiles `on_devices` computes. A
// module with manual regions has full arrays of `copies` devices. kUnimplemented: arguments that
// differ by device.
std::unique_ptr<Executable> OfFullArrays(DeviceTilings spread, size_t copies,
                                         std::unique_ptr<Executable> on_devices);

}  // namespace hlocts::backends
