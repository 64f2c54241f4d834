// SPDX-License-Identifier: Apache-2.0
// A PJRT plugin as a compiler alone: it compiles for a topology that is described by name or by
// options, and no device is opened. Its executables give the optimized module and run nothing;
// backends/adapters/compiled evaluates what they give.
#ifndef HLOCTS_BACKENDS_ADAPTERS_PJRT_COMPILE_ONLY_H_
#define HLOCTS_BACKENDS_ADAPTERS_PJRT_COMPILE_ONLY_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/adapters/pjrt/pjrt_backend.h"

namespace hlocts::backends {

// True if options of an engine describe devices, which need not exist:
//   topology=NAME        of the plugin's own, "v5e:2x2"
//   target=CHIP          a file of gpu_targets; topology= is then SLICESxHOSTSxDEVICES ("1x1x1")
//   topology.NAME=VALUE  goes to PJRT_TopologyDescription_Create
bool DescribesDevices(const std::vector<std::pair<std::string, std::string>>& options);

// A compiler without a device. Those options among `settings.compile_options` describe the
// topology. Without `facts` it has those of the target that lists its chip (spec/targets). The
// plugin is loaded at the first info() or Load(). kInvalidArgument: no such target.
absl::StatusOr<std::unique_ptr<Backend>> MakeCompileOnlyBackend(PjrtSettings settings);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ADAPTERS_PJRT_COMPILE_ONLY_H_
