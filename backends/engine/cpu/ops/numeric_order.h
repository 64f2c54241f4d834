// SPDX-License-Identifier: Apache-2.0
// Recognizes comparators that order floats as numbers and ignore the signs of zeros and NaNs. Front
// ends first replace all NaNs of the operands by one NaN and all zeros by one zero, and then
// compare by total order.
#pragma once

#include <optional>

#include "backends/engine/cpu/loops/element_function.h"
#include "backends/engine/plan/graph.h"

namespace hlocts::cpu {

struct NumericOrder {
  int64_t operand = 0;  // index among the operands of the sort
  bool descending = false;
};
// Returns the operand and the direction if the comparator orders one operand by
// kernels::KeyOrder::kNumeric, else nullopt.
std::optional<NumericOrder> NumericOrderOf(const plan::Graph& graph, const ElementFunction& body);

}  // namespace hlocts::cpu
