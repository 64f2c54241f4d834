// SPDX-License-Identifier: Apache-2.0
// A module compiled for a device.
#pragma once

#include <memory>

#include "backends/engine/cuda/compile/compiler.h"
#include "spec/pjrt/table/engine.h"

namespace hlocts::cuda {

// Requires a verified module. Its replicas and partitions share the device.
absl::StatusOr<std::unique_ptr<pjrt::Executable>> MakeExecutable(const Module& module,
                                                                 const pjrt::LoadOptions& load,
                                                                 const CompileOptions& compile,
                                                                 std::shared_ptr<Device> device);

// Returns a static module's programs under jit=always, for EmitSource. Needs no device.
absl::StatusOr<std::vector<std::string>> KernelSources(const Module& module);

}  // namespace hlocts::cuda
