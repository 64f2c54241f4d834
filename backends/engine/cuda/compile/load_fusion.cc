// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/load_fusion.h"

namespace hlocts::cuda {
namespace {

using plan::Node;
using plan::NodeId;
using plan::NodeKind;
using plan::ValueId;

bool IsLoad(const plan::Graph& graph, const Node& node) {
  const bool loads = node.opcode == Opcode::kPad || node.opcode == Opcode::kGather;
  return loads && !node.removed && graph.type(node.outputs[0]).elements > 1;
}

}  // namespace

LoadFusion::LoadFusion(const plan::Graph& graph, const plan::FusionPlan& loops, bool fuse)
    : taken_(graph.nodes.size(), false) {
  if (!fuse) return;
  // Indexed by value, with reshapes removed: the only loop that reads the value element by element.
  std::vector<NodeId> reader(graph.values.size(), kNoReader);
  const auto read = [&](ValueId value, NodeId loop) {
    NodeId& known = reader[loops.Strip(value)];
    known = known == kNoReader || known == loop ? loop : kNoLoop;
  };
  for (ValueId result : graph.results) read(result, kNoLoop);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const NodeKind kind = plan::KindOf(graph, node);
    if (node.removed) continue;
    // Users of a reshape are counted as users of its operand, unless the reshape is a dense array.
    if (kind == NodeKind::kReshape && !loops.is_dense(node.outputs[0])) continue;
    for (ValueId operand : node.operands) {
      const bool each = kind == NodeKind::kElementwise &&
                        graph.type(operand).elements == graph.type(node.outputs[0]).elements;
      read(operand, each ? loops.loop_of(static_cast<NodeId>(n)) : kNoLoop);
    }
  }
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    taken_[n] = IsLoad(graph, node) && reader[node.outputs[0]] >= 0;
  }
}

}  // namespace hlocts::cuda
