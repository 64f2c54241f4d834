// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/passes.h"
#include "backends/engine/plan/replacement_map.h"
#include "spec/ops/kinds.h"

namespace hlocts::plan {
namespace {

bool IsIdentityPermutation(absl::Span<const int64_t> permutation) {
  for (size_t d = 0; d < permutation.size(); ++d) {
    if (permutation[d] != static_cast<int64_t>(d)) return false;
  }
  return true;
}

// Returns the operand that the node forwards unchanged, or -1 if there is none.
ValueId HandedOn(const Graph& graph, const Node& node) {
  if (node.operands.empty() || node.outputs.size() != 1) return -1;
  const ValueId operand = node.operands[0];
  const bool same_type = graph.type(operand) == graph.type(node.outputs[0]);
  if (ops::IsOneOf(node.opcode, {Opcode::kConvert, Opcode::kBitcastConvert}))
    return same_type ? operand : -1;
  const std::optional<ops::Movement> movement = ops::MovementOf(node.opcode);
  if (!movement.has_value()) return -1;
  switch (*movement) {
    case ops::Movement::kReshape:
      return same_type ? operand : -1;
    case ops::Movement::kBroadcast:
      return same_type && IsIdentityPermutation(node.source->IntList(Attr::kDimensions)) ? operand
                                                                                         : -1;
    case ops::Movement::kTranspose:
      return IsIdentityPermutation(node.source->IntList(Attr::kDimensions)) ? operand : -1;
    case ops::Movement::kReverse:
      return node.source->IntList(Attr::kDimensions).empty() ? operand : -1;
    case ops::Movement::kConcatenate:
      return node.operands.size() == 1 ? operand : -1;
    case ops::Movement::kSlice: {
      const auto* ranges = node.source->Get<SliceRanges>(Attr::kSlice);
      return ranges != nullptr && same_type ? operand : -1;
    }
    // These are kept: a copy may change the layout, and the others rarely forward their operand.
    case ops::Movement::kPad:
    case ops::Movement::kDynamicReshape:
    case ops::Movement::kBitcast:
    case ops::Movement::kCopy:
      return -1;
  }
  HLOCTS_UNREACHABLE();
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
