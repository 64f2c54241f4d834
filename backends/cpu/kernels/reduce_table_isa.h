// One ReduceOps per kind and type. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_CPU_KERNELS_REDUCE_TABLE_ISA_H_
#define HLOCTS_BACKENDS_CPU_KERNELS_REDUCE_TABLE_ISA_H_

#include "backends/cpu/kernels/reduce_ops_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

// Of a combination that ReduceSupported allows.
ReduceOps ReduceOpsFor(ReduceKind kind, PrimitiveType type);

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_CPU_KERNELS_REDUCE_TABLE_ISA_H_
