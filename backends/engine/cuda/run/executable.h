// SPDX-License-Identifier: Apache-2.0
// A module compiled for a device.
#pragma once

#include <memory>

#include "backends/engine/cuda/compile/compiler.h"
#include "spec/pjrt/table/engine.h"

namespace hlocts::cuda {

// Compiles a verified module, whose replicas and partitions share the device.
absl::StatusOr<std::unique_ptr<pjrt::Executable>> MakeExecutable(const Module& module,
                                                                 const pjrt::LoadOptions& load,
                                                                 const CompileOptions& compile,
                                                                 std::shared_ptr<Device> device);

// Returns the sources that jit=always would compile for a static module. Requires no GPU.
absl::StatusOr<std::vector<std::string>> KernelSources(const Module& module);

}  // namespace hlocts::cuda
