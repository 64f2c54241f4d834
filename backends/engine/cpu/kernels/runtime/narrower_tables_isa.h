// SPDX-License-Identifier: Apache-2.0
// Where a set of instructions has no kernels of its own: those of a narrower one. Only for
// *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_NARROWER_TABLES_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_NARROWER_TABLES_ISA_H_

#include "backends/engine/cpu/kernels/runtime/isa.h"

extern "C" const hlocts::kernels::KernelTable* hlocts_kernels_avx2();
extern "C" const hlocts::kernels::KernelTable* hlocts_kernels_avx512();

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_NARROWER_TABLES_ISA_H_
