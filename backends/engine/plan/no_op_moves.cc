// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/passes.h"
#include "backends/engine/plan/replacement_map.h"

namespace hlocts::plan {
namespace {

bool IsIdentityPermutation(absl::Span<const int64_t> permutation) {
  for (size_t d = 0; d < permutation.size(); ++d) {
    if (permutation[d] != static_cast<int64_t>(d)) return false;
  }
  return true;
}

// The value that the node hands on unchanged; -1 if it does something.
ValueId HandedOn(const Graph& graph, const Node& node) {
  if (node.operands.empty() || node.outputs.size() != 1) return -1;
  const ValueId operand = node.operands[0];
  const bool same_type = graph.type(operand) == graph.type(node.outputs[0]);
  switch (node.opcode) {
    case Opcode::kReshape:
    case Opcode::kConvert:
    case Opcode::kBitcastConvert:
      return same_type ? operand : -1;
    case Opcode::kBroadcast:
      return same_type && IsIdentityPermutation(node.source->IntList(Attr::kDimensions)) ? operand
                                                                                         : -1;
    case Opcode::kTranspose:
      return IsIdentityPermutation(node.source->IntList(Attr::kDimensions)) ? operand : -1;
    case Opcode::kReverse:
      return node.source->IntList(Attr::kDimensions).empty() ? operand : -1;
    case Opcode::kConcatenate:
      return node.operands.size() == 1 ? operand : -1;
    case Opcode::kSlice: {
      const auto* ranges = node.source->Get<SliceRanges>(Attr::kSlice);
      return ranges != nullptr && same_type ? operand : -1;
    }
    default:
      return -1;
  }
}

}  // namespace

void RemoveNoOpMoves(Graph& graph, const PassContext&) {
  ReplacementMap replacements(graph);
  for (Node& node : graph.nodes) {
    if (node.removed) continue;
    replacements.ApplyTo(node);
    const ValueId same = HandedOn(graph, node);
    if (same < 0) continue;
    replacements.Set(node.outputs[0], same);
    node.removed = true;
  }
  replacements.ApplyToResults(graph);
}

}  // namespace hlocts::plan
