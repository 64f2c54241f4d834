// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/reduce_fusion.h"

#include "backends/engine/cuda/compile/load_fusion.h"
#include "backends/engine/cuda/compile/program_builder.h"
#include "backends/engine/cuda/device/block_reduce.h"

namespace hlocts::cuda {

using plan::Node;
using plan::NodeId;
using plan::NodeKind;
using plan::ValueId;

bool ReduceFusion::IsBlockReduce(const plan::Graph& graph, const Node& node) {
  return node.opcode == Opcode::kReduce &&
         node.outputs.size() <= static_cast<size_t>(hl::kSharedPlaces) &&
         graph.type(node.outputs[0]).elements > 0 && IsStraightLine(*node.called[0]);
}

ReduceFusion::ReduceFusion(const plan::Graph& graph, const plan::FusionPlan& loops, bool fuse)
    : graph_(graph),
      loops_(loops),
      users_(graph.values.size(), 0),
      user_loop_(graph.values.size(), kNoReader),
      taken_(graph.nodes.size(), false),
      reduce_of_(graph.nodes.size(), kNoReader),
      ending_of_(graph.nodes.size(), kNoReader) {
  if (!fuse) return;
  CountUsers();
  std::vector<NodeId> reductions;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (!node.removed && IsBlockReduce(graph, node)) reductions.push_back(static_cast<NodeId>(n));
  }
  for (NodeId id : reductions) TakeOperands(id);
  for (NodeId id : reductions) FuseEpilogue(id);
}

void ReduceFusion::CountUsers() {
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    const NodeKind kind = plan::KindOf(graph_, node);
    if (node.removed || kind == NodeKind::kReshape) continue;
    const NodeId loop =
        kind == NodeKind::kElementwise ? loops_.loop_of(static_cast<NodeId>(n)) : kNoLoop;
    for (ValueId operand : node.operands) {
      const ValueId value = loops_.Strip(operand);
      ++users_[value];
      NodeId& known = user_loop_[value];
      // A scalar operand that is broadcast is not read at the position of the loop.
      const bool placed =
          loop != kNoLoop && graph_.type(operand).elements == graph_.type(node.outputs[0]).elements;
      known = placed && (known == kNoReader || known == loop) ? loop : kNoLoop;
    }
  }
  for (ValueId result : graph_.results) {
    users_[loops_.Strip(result)] += 2;
    user_loop_[loops_.Strip(result)] = kNoLoop;
  }
}

void ReduceFusion::TakeOperands(NodeId id) {
  const Node& node = graph_.nodes[id];
  for (size_t k = 0; k < node.outputs.size(); ++k) {
    const ValueId value = loops_.Strip(node.operands[k]);
    const NodeId producer = graph_.values[value].node;
    const NodeKind kind = plan::KindOf(graph_, graph_.nodes[producer]);
    const bool loop = kind == NodeKind::kElementwise && loops_.loop_of(producer) == producer;
    const bool moved = kind == NodeKind::kView || kind == NodeKind::kIota;
    if (users_[value] == 1 && (loop || moved)) taken_[producer] = true;
  }
}

void ReduceFusion::FuseEpilogue(NodeId id) {
  const Node& node = graph_.nodes[id];
  if (node.outputs.size() != 1) return;
  const ValueId value = node.outputs[0];
  const NodeId root = user_loop_[value];
  if (root < 0 || taken_[root] || reduce_of_[root] != kNoReader) return;
  reduce_of_[root] = id;
  ending_of_[id] = root;
}

}  // namespace hlocts::cuda
