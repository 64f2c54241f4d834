// SPDX-License-Identifier: Apache-2.0
// A PJRT plugin that is used as a compiler only. It compiles for a topology given by name or by
// options, and opens no device. Its executables run nothing. They return the optimized module,
// which backends/adapters/compiled evaluates.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/adapters/pjrt/pjrt_backend.h"

namespace hlocts::backends {

// Returns true if the options of an engine describe devices (which need not exist):
//   topology=NAME        a topology of the plugin, "v5e:2x2"
//   target=CHIP          a file of gpu_targets; topology= is then SLICESxHOSTSxDEVICES ("1x1x1")
//   topology.NAME=VALUE  is passed to PJRT_TopologyDescription_Create
bool DescribesDevices(const std::vector<std::pair<std::string, std::string>>& options);

// Returns a compiler without a device. The topology options (DescribesDevices) among
// `settings.compile_options` select the topology. If `settings.facts` is empty, the engine's facts
// are those of the target in spec/targets that lists the chip; if no target lists it, returns
// kInvalidArgument. The plugin is loaded by the first call of info() or Load().
absl::StatusOr<std::unique_ptr<Backend>> MakeCompileOnlyBackend(PjrtSettings settings);

}  // namespace hlocts::backends
