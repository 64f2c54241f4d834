// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/fusion.h"
#include "backends/engine/plan/passes.h"

namespace hlocts::plan {
namespace {

bool MaySink(Opcode opcode) { return opcode == Opcode::kSlice || opcode == Opcode::kReverse; }

class Sinker {
 public:
  explicit Sinker(Graph& graph) : graph_(graph) {
    for (const Node& node : graph.nodes) {
      if (node.removed) continue;
      for (ValueId operand : node.operands) Count(operand);
    }
    for (ValueId result : graph.results) Count(result);
  }

  // Returns true if the view may move before the element-wise node of which it is the only user.
  bool Sinks(const Node& view) const { return MaySink(view.opcode) && IsOwnLoop(view.operands[0]); }
  // Returns the node, changed to compute only the elements that the view selects.
  Node Sunk(const Node& view) {
    Node node = graph_.producer(view.operands[0]);
    graph_.nodes[graph_.values[view.operands[0]].node].removed = true;
    node.outputs = view.outputs;
    for (ValueId& operand : node.operands) {
      if (!graph_.type(operand).dimensions.empty()) operand = SourceIndex(view, operand);
    }
    return node;
  }

 private:
  void Count(ValueId value) {
    if (uses_.size() <= static_cast<size_t>(value)) uses_.resize(graph_.values.size(), 0);
    ++uses_[value];
  }
  bool IsOwnLoop(ValueId value) const {
    const Node& node = graph_.producer(value);
    return static_cast<size_t>(value) < uses_.size() && uses_[value] == 1 &&
           graph_.type(value).rank() > 0 && KindOf(graph_, node) == NodeKind::kElementwise;
  }
  // Applies the same view to another array with the same dimensions.
  ValueId SourceIndex(const Node& view, ValueId value) {
    ArrayType type = graph_.type(view.outputs[0]);
    type.type = graph_.type(value).type;
    type.bytes = type.elements * type.width();
    Node node = view;
    node.operands[0] = value;
    node.outputs.clear();
    if (!Sinks(node)) return graph_.nodes[graph_.Add(std::move(node), {type})].outputs[0];
    node.outputs.push_back(static_cast<ValueId>(graph_.values.size()));
    graph_.values.push_back({type, -1, 0});
    const ValueId shown = node.outputs[0];
    graph_.AppendNode(Sunk(node));
    return shown;
  }

  Graph& graph_;
  std::vector<int32_t> uses_;  // indexed by values that existed before the pass
};

}  // namespace

void SinkSlices(Graph& graph, const PassContext&) {
  Sinker sinker(graph);
  for (Node& node : graph.ReleaseNodes()) {
    const bool sinks = !node.removed && sinker.Sinks(node);
    graph.AppendNode(sinks ? sinker.Sunk(node) : std::move(node));
  }
}

}  // namespace hlocts::plan
