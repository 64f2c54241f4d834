// SPDX-License-Identifier: Apache-2.0
// The known computations over runs of elements, compiled once for each instruction set.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_REDUCE_REDUCE_OPS_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_REDUCE_REDUCE_OPS_H_

#include <cstdint>

#include "backends/engine/cpu/kernels/reduce/reduce.h"

namespace hlocts::kernels {

// The kernels of a kind of reduction in its computing type, which the drivers call by pointer.
struct ReduceOps {
  int bytes = 0;                                    // of the computing type
  void (*fill)(void* to, int64_t count) = nullptr;  // with the identity
  void (*row)(const void* from, int64_t count, void* accumulator) = nullptr;  // into one element
  // The same for rows row_bytes apart, into contiguous accumulators.
  void (*rows)(const void* from, int64_t row_bytes, int64_t rows, int64_t count,
               void* accumulators) = nullptr;
  // accumulators[j] op= rows[r * row_bytes][j] for every r and j < count
  void (*columns)(void* accumulators, const void* rows, int64_t row_bytes, int64_t row_count,
                  int64_t count) = nullptr;
  void (*scan)(const void* from, int64_t count, void* to, void* carry) = nullptr;
};

// The type that reductions of `type` are computed in: f32 for narrow floats, unsigned integers of
// the same width where the sign does not matter.
inline PrimitiveType ReduceComputeType(PrimitiveType type) {
  return IsFloat(type) && BitWidth(type) < 32 ? PrimitiveType::kF32 : type;
}

// The kernels of a combination that ReduceSupported allows.
ReduceOps ReduceOpsFor(ReduceKind kind, PrimitiveType type);

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_REDUCE_REDUCE_OPS_H_
