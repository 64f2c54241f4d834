// SPDX-License-Identifier: Apache-2.0
// Distributes the terms of a reduction over threads and blocks.
#pragma once

#include <optional>
#include <vector>

#include "backends/engine/cuda/device/dispatch.h"
#include "backends/engine/plan/graph.h"

namespace hlocts::cuda {

struct ReduceGeometry {
  int lane_bits = 0;       // 2^lane_bits threads compute one result
  bool lane_minor = true;  // adjacent threads compute one result; else adjacent results
  int64_t groups = 0;      // number of groups of results; a block computes one group
  int64_t splits = 1;      // number of parts of the terms; a block adds one part
  int64_t per_split = 0;
  int phases() const { return lane_bits + 2; }
  int64_t blocks() const { return groups * splits; }
};
// Plans a reduction with this number of terms for each result. `terms_adjoin`: the terms of a
// result are contiguous. `parallel`: several threads may compute one result.
ReduceGeometry PlanReduce(int64_t results, int64_t terms, bool terms_adjoin, bool parallel);

// Returns the operation of each result if the computation applies one of add, multiply, minimum,
// maximum, and, or, xor to each result separately.
std::optional<std::vector<hl::Op>> KnownBody(const plan::Graph& body);

// Returns the type in which terms are combined: f32 for narrower floats under add and multiply.
PrimitiveType SumTypeOf(hl::Op op, PrimitiveType type);

}  // namespace hlocts::cuda
