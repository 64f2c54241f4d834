// SPDX-License-Identifier: Apache-2.0
// NVRTC, opened on first use.
#pragma once

#include <string>

#include "spec/base/status.h"

namespace hlocts::cuda {

struct CompiledKernel {
  // SASS. If this NVRTC does not support the device, PTX of the newest architecture that it
  // supports.
  std::string image;
  std::string log;
};

// Compiles the source; the device headers are embedded in the engine. Returns Unavailable if there
// is no NVRTC, and Internal, with the log, if NVRTC rejects the source.
absl::StatusOr<CompiledKernel> CompileSource(const std::string& source,
                                             const std::string& architecture, bool fast_math);

}  // namespace hlocts::cuda
