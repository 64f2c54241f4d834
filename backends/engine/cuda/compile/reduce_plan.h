// SPDX-License-Identifier: Apache-2.0
// The distribution of a reduction's terms over threads and blocks.
#pragma once

#include <optional>
#include <vector>

#include "backends/engine/cuda/device/dispatch.h"
#include "backends/engine/plan/graph.h"

namespace hlocts::cuda {

struct ReduceGeometry {
  int lane_bits = 0;       // 2^lane_bits threads compute a result
  bool lane_minor = true;  // adjacent threads share a result; else they have adjacent results
  int64_t groups = 0;      // groups of results; a block computes a group
  int64_t splits = 1;      // parts of the terms; a block computes one part
  int64_t per_split = 0;
  int phases() const { return lane_bits + 2; }
  int64_t blocks() const { return groups * splits; }
};
// Plans a reduction of `terms` terms for each result. terms_adjoin: the terms of a result are
// contiguous in memory. parallel: several threads may compute one result.
ReduceGeometry PlanReduce(int64_t results, int64_t terms, bool terms_adjoin, bool parallel);

// If the computation applies one of add, multiply, minimum, maximum, and, or, xor to each result
// separately, returns the operation of each result.
std::optional<std::vector<hl::Op>> KnownBody(const plan::Graph& body);

// Returns the type of the sums: f32 for narrower floats under add and multiply.
PrimitiveType SumTypeOf(hl::Op op, PrimitiveType type);

}  // namespace hlocts::cuda
