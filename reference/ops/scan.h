// SPDX-License-Identifier: Apache-2.0
// Reads the attributes of a scan (ruling 0100) for its evaluator and its acceptance sets.
#pragma once

#include "spec/infer/scan_dimension.h"
#include "spec/ir/instruction.h"

namespace hlocts::reference {

struct ScanPlan {
  const Computation* computation;
  int64_t dimension, trips;
  int64_t inputs, outputs, carries;
  bool reverse, associative;

  // Returns the position along the dimension that the trip reads and writes.
  int64_t PlaceOf(int64_t trip) const { return reverse ? trips - 1 - trip : trip; }
};

inline ScanPlan ScanPlanOf(const Instruction& scan) {
  ScanPlan plan{.computation = scan.CalledComputation(Attr::kToApply),
                .dimension = ScanDimensionOf(scan),
                .carries = scan.IntOr(Attr::kNumCarries, 0)};
  plan.inputs = scan.operand_count() - plan.carries;
  plan.outputs = static_cast<int64_t>(scan.shape().tuple_shapes().size()) - plan.carries;
  plan.trips = scan.operand(0).shape().dimension(plan.dimension);
  plan.reverse = scan.BoolOr(Attr::kIsReverse, false);
  plan.associative = scan.WordOr(Attr::kIsAssociative, "false") == "true";
  return plan;
}

// The sizes of the row-major index space before (`outer`) and after (`inner`) a dimension.
struct ScanStrides {
  int64_t outer = 1, inner = 1;
};
inline ScanStrides StridesAround(const Shape& shape, int64_t dimension) {
  ScanStrides strides;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d < dimension) strides.outer *= shape.dimension(d);
    if (d > dimension) strides.inner *= shape.dimension(d);
  }
  return strides;
}

}  // namespace hlocts::reference
