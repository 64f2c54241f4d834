// Copies of arrays that are looked at in another order: transposes, slices, broadcasts.
#ifndef HLOCTS_BACKENDS_CPU_VIEW_COPY_H_
#define HLOCTS_BACKENDS_CPU_VIEW_COPY_H_

#include "backends/cpu/kernels/thread_pool.h"
#include "backends/cpu/program.h"
#include "backends/plan/view.h"

namespace hlocts::cpu {

// The elements of the simplified view, dense, by as many threads as it is worth.
StepFunction ViewCopy(const plan::View& view, int width, int64_t elements,
                      const kernels::Parallel& parallel);

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_CPU_VIEW_COPY_H_
