// SPDX-License-Identifier: Apache-2.0
// Convolution of f32 that reads the input in place. Features must be adjacent in memory.
#pragma once

#include "absl/status/status.h"
#include "backends/engine/cpu/kernels/convolution/pixel_grid.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"

namespace hlocts::kernels {

// Returns true if RunDirect supports the convolution.
bool IsDirect(const PixelGrid& grid);
absl::Status RunDirect(const Parallel& parallel, const PixelGrid& grid);

}  // namespace hlocts::kernels
