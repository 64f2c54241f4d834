// SPDX-License-Identifier: Apache-2.0
// NVRTC, which is opened when it is first used.
#pragma once

#include <string>

#include "spec/base/status.h"

namespace hlocts::cuda {

struct CompiledKernel {
  // SASS, or if this NVRTC does not support the GPU's architecture, PTX of the newest one that it
  // supports.
  std::string image;
  std::string log;
};

// Compiles the source with the device headers, which are embedded in the engine. Returns
// Unavailable if there is no NVRTC, and Internal, with the log, if NVRTC rejects the source.
absl::StatusOr<CompiledKernel> CompileSource(const std::string& source,
                                             const std::string& architecture, bool fast_math);

}  // namespace hlocts::cuda
