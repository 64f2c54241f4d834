// SPDX-License-Identifier: Apache-2.0
// Comparators that order floats as numbers, ignoring the signs of zero and NaN: front ends emit
// these around a total order (every NaN becomes one, every zero becomes one).
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_OPS_NUMERIC_ORDER_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_OPS_NUMERIC_ORDER_H_

#include <optional>

#include "backends/engine/cpu/loops/element_function.h"
#include "backends/engine/plan/graph.h"

namespace hlocts::cpu {

struct NumericOrder {
  int64_t operand = 0;  // of the sort
  bool descending = false;
};
// The order of a comparator that is kernels::KeyOrder::kNumeric of one operand.
std::optional<NumericOrder> NumericOrderOf(const plan::Graph& graph, const ElementFunction& body);

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_OPS_NUMERIC_ORDER_H_
