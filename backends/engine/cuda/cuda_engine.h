// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "spec/pjrt/table/engine.h"

namespace hlocts::cuda {

// Options: jit=always|never|auto, libraries=always|never|auto, math=f32|f64, device=K,
// deterministic=false, tf32=true, fast_math=true, disable=PASS,...
// device=host runs the same plan and kernels on the host.
absl::StatusOr<std::unique_ptr<pjrt::Engine>> MakeEngine(pjrt::Options options);
// Returns the names of the supported opcodes, separated by spaces.
std::string Opcodes();

}  // namespace hlocts::cuda
