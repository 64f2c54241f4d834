// SPDX-License-Identifier: Apache-2.0
// Copies arrays to another order of elements: transposes, slices, broadcasts.
#pragma once

#include "backends/engine/cpu/base/program.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "backends/engine/plan/view.h"

namespace hlocts::cpu {

// Returns a step that copies the elements of a view to a dense array, on as many threads as are
// useful. The view must be simplified.
StepFunction ViewCopy(const plan::View& view, int width, int64_t elements,
                      const kernels::Parallel& parallel);

}  // namespace hlocts::cpu
