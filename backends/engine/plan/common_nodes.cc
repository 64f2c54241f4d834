// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "absl/algorithm/container.h"
#include "backends/engine/plan/passes.h"
#include "backends/engine/plan/replacement_map.h"
#include "spec/ops/kinds.h"
#include "spec/ops/op_table.h"

namespace hlocts::plan {
namespace {

// The attributes by which nodes with the same opcode, operands and type differ, as numbers. A node
// for which no key can be built is never merged.
using Key = std::vector<int64_t>;

void Append(absl::Span<const int64_t> numbers, Key& key) {
  key.push_back(static_cast<int64_t>(numbers.size()));
  key.insert(key.end(), numbers.begin(), numbers.end());
}
void Append(absl::string_view word, Key& key) {
  key.push_back(static_cast<int64_t>(word.size()));
  for (char c : word) key.push_back(c);
}

bool AppendMovement(ops::Movement movement, const Node& node, Key& key) {
  switch (movement) {
    case ops::Movement::kBroadcast:
    case ops::Movement::kTranspose:
    case ops::Movement::kReverse:
    case ops::Movement::kConcatenate:
      Append(node.source->IntList(Attr::kDimensions), key);
      return true;
    case ops::Movement::kReshape:
      return true;
    case ops::Movement::kSlice:
      for (const SliceRange& range : node.source->Get<SliceRanges>(Attr::kSlice)->dimensions) {
        Append({range.start, range.limit, range.stride}, key);
      }
      return true;
    // Nodes with these opcodes are not merged, because the key does not contain their attributes.
    case ops::Movement::kPad:
    case ops::Movement::kDynamicReshape:
    case ops::Movement::kBitcast:
    case ops::Movement::kCopy:
      return false;
  }
  HLOCTS_UNREACHABLE();
}

// Returns true if the computation or one that it calls has an rng, whose result differs each time.
bool Draws(const Graph* graph) {
  return absl::c_any_of(graph->nodes, [](const Node& node) {
    return node.opcode == Opcode::kRng || absl::c_any_of(node.called, Draws);
  });
}

bool AppendAttributes(const Node& node, Key& key) {
  if (node.opcode == Opcode::kWhile && !node.has_effect && !node.outputs.empty() &&
      !absl::c_any_of(node.called, Draws)) {
    // Loops are equal if they are copies of one instruction whose computation was inlined twice.
    key.push_back(static_cast<int64_t>(reinterpret_cast<intptr_t>(node.source)));
    return true;
  }
  if (node.has_effect || !node.called.empty() || node.outputs.size() != 1) return false;
  switch (RowOf(node.opcode).family) {
    case Family::kElementwiseUnary:
    case Family::kElementwiseBinary:
      return true;
    case Family::kElementwiseOther:
      if (node.opcode == Opcode::kStochasticConvert) return false;
      Append(node.source->WordOr(Attr::kDirection, ""), key);
      Append(node.source->WordOr(Attr::kType, ""), key);
      key.push_back(node.source->IntOr(Attr::kExponentBits, 0));
      key.push_back(node.source->IntOr(Attr::kMantissaBits, 0));
      return true;
    default:
      break;
  }
  if (node.opcode == Opcode::kIota) {
    key.push_back(node.source->IntOr(Attr::kIotaDimension, 0));
    return true;
  }
  const std::optional<ops::Movement> movement = ops::MovementOf(node.opcode);
  return movement.has_value() && AppendMovement(*movement, node, key);
}

bool AppendConstant(const Literal& literal, Key& key) {
  if (literal.raw_size() > 16) return false;
  key.push_back(static_cast<int64_t>(literal.raw_size()));
  const uint8_t* bytes = literal.raw_data();
  for (size_t i = 0; i < literal.raw_size(); ++i) key.push_back(bytes[i]);
  return true;
}

}  // namespace

void RemoveCommonNodes(Graph& graph, const PassContext&) {
  ReplacementMap replacements(graph);
  std::map<Key, const Node*> seen;
  for (Node& node : graph.nodes) {
    if (node.removed) continue;
    replacements.ApplyTo(node);
    Key key = {static_cast<int64_t>(node.opcode)};
    const bool known = node.IsConstant() ? AppendConstant(graph.constants[node.constant], key)
                                         : AppendAttributes(node, key);
    if (!known) continue;
    const ArrayType& type = graph.type(node.outputs[0]);
    key.push_back(static_cast<int64_t>(type.type));
    Append(type.dimensions, key);
    for (ValueId operand : node.operands) key.push_back(operand);
    auto [found, is_new] = seen.try_emplace(std::move(key), &node);
    if (is_new) continue;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      replacements.Set(node.outputs[i], found->second->outputs[i]);
    }
    node.removed = true;
  }
  replacements.ApplyToResults(graph);
}

}  // namespace hlocts::plan
