// SPDX-License-Identifier: Apache-2.0
// Copies of arrays in another order: transposes, slices, broadcasts.
#pragma once

#include "backends/engine/cpu/base/program.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "backends/engine/plan/view.h"

namespace hlocts::cpu {

// Returns a step that copies the elements that the view shows to a dense array, on a profitable
// number of threads. The view must be simplified.
StepFunction ViewCopy(const plan::View& view, int width, int64_t elements,
                      const kernels::Parallel& parallel);

}  // namespace hlocts::cpu
