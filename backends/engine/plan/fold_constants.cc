// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/engine/plan/fusion.h"
#include "backends/engine/plan/passes.h"
#include "spec/ops/kinds.h"
#include "spec/ops/op_table.h"

namespace hlocts::plan {
namespace {

// Limits on the size of a value that is computed at load time.
constexpr int64_t kElementsMax = 1 << 16, kBytesMax = 64 << 10;
// With fewer elements, computing them at run time takes less time than compiling a program.
constexpr int64_t kWorkMin = 256;

// Returns true for deterministic operations whose cost depends only on their sizes.
bool MayFold(const Graph& graph, const Node& node) {
  if (node.has_effect || node.outputs.size() != 1) return false;
  if (KindOf(graph, node) == NodeKind::kElementwise) return true;
  if (node.opcode == Opcode::kReduce) {
    return std::all_of(node.called.begin(), node.called.end(), [](const Graph* body) {
      return std::all_of(body->nodes.begin(), body->nodes.end(), [&](const Node& inner) {
        const NodeKind kind = KindOf(*body, inner);
        return kind == NodeKind::kLeaf || kind == NodeKind::kElementwise;
      });
    });
  }
  return ops::IsOneOf(node.opcode, {Opcode::kPad, Opcode::kConcatenate, Opcode::kDynamicSlice,
                                    Opcode::kDynamicUpdateSlice, Opcode::kBitcastConvert});
}

class Folder {
 public:
  explicit Folder(Graph& graph) : graph_(graph), known_(graph.nodes.size(), Known::kNo) {}

  // Returns nodes that can be computed from constants, but have users that cannot.
  std::vector<NodeId> Frontier();
  // Returns a separate graph whose results are the outputs of the nodes in `frontier`.
  Graph Closed(absl::Span<const NodeId> frontier) const;

 private:
  // kGiven: a constant, a view or an iota. kComputed: an operation whose operands are all known.
  enum class Known : uint8_t { kNo, kGiven, kComputed };

  Known KnownOf(const Node& node) const;
  Known Of(ValueId value) const { return known_[graph_.values[value].node]; }

  Graph& graph_;
  std::vector<Known> known_;
};

Folder::Known Folder::KnownOf(const Node& node) const {
  if (node.removed) return Known::kNo;
  for (ValueId operand : node.operands) {
    if (Of(operand) == Known::kNo) return Known::kNo;
  }
  const NodeKind kind = KindOf(graph_, node);
  if (kind == NodeKind::kLeaf) return node.constant >= 0 ? Known::kGiven : Known::kNo;
  if (kind == NodeKind::kView || kind == NodeKind::kReshape || kind == NodeKind::kIota) {
    return Known::kGiven;
  }
  if (!MayFold(graph_, node)) return Known::kNo;
  const ArrayType& type = graph_.type(node.outputs[0]);
  const bool is_small =
      type.elements > 0 && type.bytes <= kBytesMax &&
      std::all_of(node.operands.begin(), node.operands.end(),
                  [&](ValueId operand) { return graph_.type(operand).elements <= kElementsMax; });
  return is_small ? Known::kComputed : Known::kNo;
}

std::vector<NodeId> Folder::Frontier() {
  for (size_t n = 0; n < graph_.nodes.size(); ++n) known_[n] = KnownOf(graph_.nodes[n]);
  // A view of a computed value remains a view, because it may contain each element many times.
  std::vector<bool> needed(graph_.nodes.size(), false);
  const auto need = [&](ValueId value) { needed[graph_.values[value].node] = true; };
  for (ValueId result : graph_.results) need(result);
  std::vector<NodeId> frontier;
  for (size_t n = graph_.nodes.size(); n-- > 0;) {
    const Node& node = graph_.nodes[n];
    if (node.removed || (!needed[n] && !node.has_effect)) continue;
    if (known_[n] == Known::kComputed) {
      frontier.push_back(static_cast<NodeId>(n));
    } else {
      for (ValueId operand : node.operands) need(operand);
    }
  }
  return frontier;
}

Graph Folder::Closed(absl::Span<const NodeId> frontier) const {
  std::vector<bool> needed(graph_.nodes.size(), false);
  for (NodeId n : frontier) needed[n] = true;
  for (size_t n = graph_.nodes.size(); n-- > 0;) {
    if (!needed[n]) continue;
    for (ValueId operand : graph_.nodes[n].operands) needed[graph_.values[operand].node] = true;
  }
  Graph closed;
  closed.name = graph_.name + ".constants";
  std::vector<ValueId> mapped(graph_.values.size(), -1);
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    if (!needed[n]) continue;
    Node node = graph_.nodes[n];
    const ValueId value = node.outputs[0];
    if (node.constant >= 0) {
      mapped[value] = closed.AddConstant(graph_.constants[node.constant]);
      continue;
    }
    node.outputs.clear();
    for (ValueId& operand : node.operands) operand = mapped[operand];
    mapped[value] = closed.nodes[closed.Add(std::move(node), {graph_.type(value)})].outputs[0];
  }
  for (NodeId n : frontier) closed.results.push_back(mapped[graph_.nodes[n].outputs[0]]);
  return closed;
}

int64_t WorkOf(const Graph& closed) {
  int64_t work = 0;
  for (const Node& node : closed.nodes) {
    if (MayFold(closed, node)) work += closed.type(node.outputs[0]).elements;
    for (ValueId operand : node.operands) {
      if (!node.called.empty()) work += closed.type(operand).elements;
    }
  }
  return work;
}

}  // namespace

void FoldConstants(Graph& graph, const PassContext& context) {
  if (context.evaluate == nullptr) return;
  Folder folder(graph);
  const std::vector<NodeId> frontier = folder.Frontier();
  if (frontier.empty()) return;
  Graph closed = folder.Closed(frontier);
  if (!context.however_small && WorkOf(closed) < kWorkMin) return;
  const absl::StatusOr<std::vector<Literal>> folded = (*context.evaluate)(closed);
  if (!folded.ok()) return;  // the error is reported when the module runs
  for (size_t f = 0; f < frontier.size(); ++f) {
    Node& node = graph.nodes[frontier[f]];
    Node constant;
    constant.opcode = Opcode::kConstant;
    constant.constant = static_cast<int32_t>(graph.constants.size());
    constant.outputs = node.outputs;
    graph.constants.push_back((*folded)[f]);
    node = std::move(constant);
  }
}

}  // namespace hlocts::plan
