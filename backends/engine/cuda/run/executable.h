// SPDX-License-Identifier: Apache-2.0
// A module compiled for a device.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUN_EXECUTABLE_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUN_EXECUTABLE_H_

#include <memory>

#include "backends/backend.h"
#include "backends/engine/cuda/compile/compiler.h"

namespace hlocts::cuda {

// The module is verified and static. devices: that its replicas share, one or more.
absl::StatusOr<std::unique_ptr<backends::Executable>> MakeStaticExecutable(
    const Module& module, const backends::LoadOptions& load, const CompileOptions& compile,
    const Devices& devices);
// With run-time sizes: instruction by instruction, each compiled for the sizes it meets.
absl::StatusOr<std::unique_ptr<backends::Executable>> MakeDynamicExecutable(
    const Module& module, const backends::LoadOptions& load, const CompileOptions& compile,
    const Devices& devices);

// What jit=always would compile for a module, as EmitSource takes it. Needs no device.
absl::StatusOr<std::vector<std::string>> KernelSources(const Module& module);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUN_EXECUTABLE_H_
