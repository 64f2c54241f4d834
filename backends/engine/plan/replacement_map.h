// SPDX-License-Identifier: Apache-2.0
// Maps each value to its replacement while a pass visits a graph's nodes in order.
#pragma once

#include <numeric>
#include <vector>

#include "backends/engine/plan/graph.h"

namespace hlocts::plan {

class ReplacementMap {
 public:
  // Maps each value of the graph to itself.
  explicit ReplacementMap(const Graph& graph) : replacement_(graph.values.size()) {
    std::iota(replacement_.begin(), replacement_.end(), 0);
  }
  void Set(ValueId value, ValueId stand_in) { replacement_[value] = stand_in; }
  void ApplyTo(Node& node) const {
    for (ValueId& operand : node.operands) operand = replacement_[operand];
  }
  void ApplyToResults(Graph& graph) const {
    for (ValueId& result : graph.results) result = replacement_[result];
  }

 private:
  std::vector<ValueId> replacement_;
};

}  // namespace hlocts::plan
