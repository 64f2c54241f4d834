// SPDX-License-Identifier: Apache-2.0
// Folds transposes of dots. A transpose of dot(a, b) that exchanges rows and columns becomes dot(b,
// a). Gradients with respect to weights have this form.
#include "backends/engine/plan/passes.h"
#include "backends/engine/plan/replacement_map.h"
#include "spec/infer/dimension_numbers.h"

namespace hlocts::plan {
namespace {

// Counts for each value how many operands and graph results it is.
std::vector<int> UsesOf(const Graph& graph) {
  std::vector<int> uses(graph.values.size(), 0);
  for (const Node& node : graph.nodes) {
    if (node.removed) continue;
    for (ValueId operand : node.operands) ++uses[operand];
  }
  for (ValueId result : graph.results) ++uses[result];
  return uses;
}

// Returns true if the permutation moves the free dimensions of the right operand before those of
// the left operand and changes no other order.
bool ExchangesSides(const Graph& graph, const Node& dot, absl::Span<const int64_t> permutation) {
  const DotDimensionNumbers numbers = DotDimensionsOf(*dot.source);
  const auto batch = static_cast<int64_t>(numbers.lhs_batch.size());
  const auto contracting = static_cast<int64_t>(numbers.lhs_contracting.size());
  const auto rank = static_cast<int64_t>(permutation.size());
  const auto lhs_rank = static_cast<int64_t>(graph.type(dot.operands[0]).dimensions.size());
  const int64_t lhs_free = lhs_rank - batch - contracting;
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t along = d - batch + lhs_free;  // the right operand's free dimensions come first
    const int64_t expected = d < batch ? d : along < rank ? along : along - (rank - batch);
    if (permutation[d] != expected) return false;
  }
  return true;
}

void Exchange(Instruction& dot, Attr left, Attr right) {
  const std::vector<int64_t> kept = dot.IntList(left);
  dot.Set(left, dot.IntList(right));
  dot.Set(right, kept);
}

Instruction TransposedCopy(const Instruction& dot, const Instruction& transpose) {
  const Shape& shape = transpose.shape();
  Instruction turned(dot.name(), Opcode::kDot, Shape(shape.element_type(), shape.dimensions()));
  turned.mutable_attributes() = dot.attributes();
  Exchange(turned, Attr::kLhsContractingDims, Attr::kRhsContractingDims);
  Exchange(turned, Attr::kLhsBatchDims, Attr::kRhsBatchDims);
  if (const auto* words = dot.Get<std::vector<std::string>>(Attr::kOperandPrecision)) {
    turned.Set(Attr::kOperandPrecision, std::vector<std::string>(words->rbegin(), words->rend()));
  }
  return turned;
}

}  // namespace

void FoldTransposes(Graph& graph, const PassContext&) {
  const std::vector<int> uses = UsesOf(graph);
  for (Node& node : graph.ReleaseNodes()) {
    const bool transposes = node.opcode == Opcode::kTranspose && !node.removed;
    const Node dot = transposes ? graph.producer(node.operands[0]) : Node();
    if (dot.opcode != Opcode::kDot || uses[node.operands[0]] != 1 ||
        !ExchangesSides(graph, dot, node.source->IntList(Attr::kDimensions))) {
      graph.AppendNode(std::move(node));
      continue;
    }
    Node turned =
        graph.Made(TransposedCopy(*dot.source, *node.source), {dot.operands[1], dot.operands[0]});
    turned.outputs = node.outputs;
    graph.AppendNode(std::move(turned));
  }
}

}  // namespace hlocts::plan
