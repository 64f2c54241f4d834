// SPDX-License-Identifier: Apache-2.0
// What the set with products of bf16 has no kernels of its own for. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_AVX512_TABLE_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_AVX512_TABLE_ISA_H_

#include "backends/engine/cpu/kernels/runtime/isa.h"

extern "C" const hlocts::kernels::KernelTable* hlocts_kernels_avx512();

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_AVX512_TABLE_ISA_H_
