// SPDX-License-Identifier: Apache-2.0
// Convolution of f32 without a copy of the input. Features must be adjacent in memory.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_DIRECT_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_DIRECT_H_

#include "absl/status/status.h"
#include "backends/engine/cpu/kernels/convolution/pixel_grid.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"

namespace hlocts::kernels {

// Returns true if RunDirect supports the convolution.
bool IsDirect(const PixelGrid& grid);
absl::Status RunDirect(const Parallel& parallel, const PixelGrid& grid);

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_DIRECT_H_
