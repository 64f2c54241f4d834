// SPDX-License-Identifier: Apache-2.0
// reduce-window of floats where windows reach along the innermost dimension, as in pooling with
// channels first, and are short. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_WINDOW_WINDOW_ROWS_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_WINDOW_WINDOW_ROWS_ISA_H_

#include "backends/engine/cpu/kernels/runtime/vector_isa.h"
#include "backends/engine/cpu/kernels/window/window.h"

namespace hlocts::kernels::HLOCTS_ISA {

// False if it is not of this kind, and nothing has been done.
bool ReduceWindowByRows(const Parallel& parallel, const ReduceWindowRequest& request);

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_WINDOW_WINDOW_ROWS_ISA_H_
