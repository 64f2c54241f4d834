// SPDX-License-Identifier: Apache-2.0
// Prepares runs of a sharded module on its devices: splits full arrays into tiles and joins them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/adapters/pjrt/tiling.h"
#include "backends/backend.h"

namespace hlocts::backends {

struct DeviceTilings {
  size_t devices = 1;
  std::vector<Shape> arguments, results;  // leaves of the full arrays
  std::vector<Tiling> argument_tilings, result_tilings;
  bool draws = false;  // devices may draw different random numbers, so tile copies may differ

  std::vector<Shape> ResultTiles() const;
};

// Returns the tilings of a module. Errors are those of ArgumentTilings.
absl::StatusOr<DeviceTilings> DeviceTilingsOf(const Module& module);

// Adjusts the tilings to the leaf shapes of the compiled one-device program. A leaf with its full
// shape in that program is marked as not split: Shardy ignores an annotation if no axis divides the
// leaf. Returns kUnimplemented if a leaf has neither its full shape nor that of its tile.
absl::Status KeepUnsplit(const std::vector<Shape>& arguments, const std::vector<Shape>& results,
                         DeviceTilings& spread);

// Like KeepUnsplit, with the shapes of arguments and results in the optimized program (a serialized
// HloModuleProto). First adopts the shardings that the partitioner has recorded in that program.
absl::Status KeepWholeAsIn(const std::string& optimized, DeviceTilings& spread);

// Returns a program of full arrays whose tiles `on_devices` computes. Its arguments and results are
// one set of arrays or, for a module with manual regions, a set for each of `copies` devices. Its
// Execute returns kUnimplemented if arguments differ by device or have a dynamic size.
std::unique_ptr<Executable> OfFullArrays(DeviceTilings spread, size_t copies,
                                         std::unique_ptr<Executable> on_devices);

// Loads `program`, the one-device program that a compiler made from the module `given`, and returns
// the program of full arrays. `optimized` is the same program as a serialized HloModuleProto, in
// which the partitioner has recorded shardings; "" if there is none. Returns kUnimplemented as
// KeepUnsplit does.
absl::StatusOr<std::unique_ptr<Executable>> LoadPartitioned(const Module& given,
                                                            const Module& program,
                                                            const std::string& optimized,
                                                            LoadOptions options, Backend& engine);

}  // namespace hlocts::backends
