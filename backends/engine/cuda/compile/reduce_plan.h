// SPDX-License-Identifier: Apache-2.0
// The distribution of a reduction's terms over threads and blocks.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_REDUCE_PLAN_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_REDUCE_PLAN_H_

#include <optional>
#include <vector>

#include "backends/engine/cuda/device/dispatch.h"
#include "backends/engine/plan/graph.h"

namespace hlocts::cuda {

struct ReduceGeometry {
  int lane_bits = 0;       // 2^lane_bits threads for each result
  bool lane_minor = true;  // neighbouring threads take terms of one result, else results
  int64_t groups = 0;      // of results, one block each
  int64_t splits = 1;      // of the terms, a block each
  int64_t per_split = 0;
  int phases() const { return lane_bits + 2; }
  int64_t blocks() const { return groups * splits; }
};
// terms_adjoin: terms of one result are contiguous in memory. parallel: more than one thread may
// compute a result.
ReduceGeometry PlanReduce(int64_t results, int64_t terms, bool terms_adjoin, bool parallel);

// The operation that combines the terms of each result of a reduction, where the computation is
// add, multiply, minimum, maximum, and, or, xor for each result by itself.
std::optional<std::vector<hl::Op>> KnownBody(const plan::Graph& body);

// The type in which terms are summed: f32 for narrower floats under add and multiply.
PrimitiveType SumTypeOf(hl::Op op, PrimitiveType type);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_REDUCE_PLAN_H_
