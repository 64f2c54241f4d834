// SPDX-License-Identifier: Apache-2.0
// One ReduceOps per kind and type. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_REDUCE_REDUCE_TABLE_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_REDUCE_REDUCE_TABLE_ISA_H_

#include "backends/engine/cpu/kernels/reduce/reduce_ops_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

// Of a combination that ReduceSupported allows.
ReduceOps ReduceOpsFor(ReduceKind kind, PrimitiveType type);

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_REDUCE_REDUCE_TABLE_ISA_H_
