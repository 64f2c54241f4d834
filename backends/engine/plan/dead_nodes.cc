// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/passes.h"

namespace hlocts::plan {

void RemoveDeadNodes(Graph& graph, const PassContext&) {
  std::vector<bool> used(graph.values.size(), false);
  for (ValueId result : graph.results) used[result] = true;
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    Node& node = graph.nodes[n];
    bool needed = node.has_effect || node.IsParameter();
    for (ValueId output : node.outputs) needed = needed || used[output];
    node.removed = node.removed || !needed;
    if (node.removed) continue;
    for (ValueId operand : node.operands) used[operand] = true;
  }
}

}  // namespace hlocts::plan
