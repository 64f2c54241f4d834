// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/fusion.h"

#include <algorithm>

#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"
#include "spec/ops/op_table.h"

namespace hlocts::plan {
namespace {

constexpr NodeId kNoReader = -1;
constexpr size_t kPiecesMax = 8;

bool IsElementwiseNode(const Graph& graph, const Node& node) {
  if (!IsElementwise(node.opcode) || node.outputs.size() != 1) return false;
  const ArrayType& out = graph.type(node.outputs[0]);
  if (node.opcode == Opcode::kBitcastConvert &&
      BitWidth(out.type) != BitWidth(graph.type(node.operands[0]).type)) {
    return false;
  }
  return true;
}

}  // namespace

bool IsElementwise(Opcode opcode) {
  return ops::IsElementwiseFamily(opcode) && opcode != Opcode::kStochasticConvert;
}

NodeKind KindOf(const Graph& graph, const Node& node) {
  if (ops::IsView(node.opcode)) return NodeKind::kView;
  if (ops::IsGiven(node.opcode)) return NodeKind::kLeaf;
  if (node.opcode == Opcode::kReshape) return NodeKind::kReshape;
  if (node.opcode == Opcode::kIota) return NodeKind::kIota;
  return IsElementwiseNode(graph, node) ? NodeKind::kElementwise : NodeKind::kStructured;
}

namespace {

bool IsAssembled(const Node& node) {
  if (node.opcode == Opcode::kPad) return node.source->Has(Attr::kPadding);
  return node.opcode == Opcode::kConcatenate && node.operands.size() <= kPiecesMax;
}

}  // namespace

FusionPlan::FusionPlan(const Graph& graph, FusionOptions options)
    : graph_(graph),
      options_(options),
      sources_(graph.values.size()),
      dense_(graph.values.size(), false),
      wanted_(graph.values.size()),
      merged_into_(graph.nodes.size(), kNoReader),
      users_(graph.values.size()),
      loop_(graph.nodes.size(), kNoReader),
      members_(graph.nodes.size()) {
  const bool pieces = options_.loops && options_.pieces;
  for (const Node& node : graph.nodes) {
    kinds_.push_back(pieces && IsAssembled(node) ? NodeKind::kAssembled : KindOf(graph, node));
  }
  FindViews();
  FindLoops();
}

ValueId FusionPlan::Strip(ValueId value) const {
  while (kinds_[graph_.values[value].node] == NodeKind::kReshape) {
    value = graph_.producer(value).operands[0];
  }
  return value;
}

Source FusionPlan::SourceOf(ValueId value) const {
  const Source& source = sources_[value];
  if (!dense_[value] && source.base >= 0) return source;
  return {value, false, View::Dense(graph_.type(value).dimensions)};
}

namespace {

View ViewOf(const Node& node, const View& operand, const ArrayType& type) {
  const std::optional<ops::View> view = ops::ViewOf(node.opcode);
  HLOCTS_CHECK(view.has_value());
  switch (*view) {
    case ops::View::kBroadcast:
      return Broadcast(operand, type.dimensions, node.source->IntList(Attr::kDimensions));
    case ops::View::kTranspose:
      return Transposed(operand, node.source->IntList(Attr::kDimensions));
    case ops::View::kSlice:
      return Sliced(operand, node.source->Get<SliceRanges>(Attr::kSlice)->dimensions);
    case ops::View::kReverse:
      return Reversed(operand, node.source->IntList(Attr::kDimensions));
  }
  HLOCTS_UNREACHABLE();
}

}  // namespace

// Determines the sources of views, reshapes and iotas, in the order of nodes. Views of views are
// composed until the base is a value with memory. A reshape that strides cannot express is copied.
void FusionPlan::FindViews() {
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    if (node.removed) continue;
    if (kinds_[n] == NodeKind::kIota) {
      const ValueId value = node.outputs[0];
      const ArrayType& type = graph_.type(value);
      const int64_t d = node.source->IntOr(Attr::kIotaDimension, 0);
      const View line = View::Dense({type.dimensions[d]});
      sources_[value] = {value, true, Broadcast(line, type.dimensions, {d})};
      continue;
    }
    if (kinds_[n] != NodeKind::kView && kinds_[n] != NodeKind::kReshape) continue;
    const ValueId value = node.outputs[0];
    const ArrayType& type = graph_.type(value);
    const Source from = SourceOf(node.operands[0]);
    if (kinds_[n] == NodeKind::kView) {
      sources_[value] = {from.base, from.is_line, ViewOf(node, from.view, type)};
    } else if (from.view.Simplified().IsContiguous() && from.view.offset == 0 && !from.is_line &&
               from.view.elements() == graph_.type(from.base).elements) {
      sources_[value] = {from.base, false, View::Dense(type.dimensions)};
    } else if (auto view = Reshaped(from.view, type.dimensions)) {
      sources_[value] = {from.base, from.is_line, *view};
    } else {
      NeedDense(node.operands[0]);
      sources_[value] = {node.operands[0], false, View::Dense(type.dimensions)};
    }
  }
}

// Visits nodes in reverse order, so all users of a node are visited before the node.
void FusionPlan::FindLoops() {
  for (ValueId result : graph_.results) NeedDense(result);
  for (size_t n = graph_.nodes.size(); n-- > 0;) {
    const Node& node = graph_.nodes[n];
    if (node.removed) continue;
    Visit(static_cast<NodeId>(n));
    for (ValueId operand : node.operands) users_[operand].push_back(static_cast<NodeId>(n));
  }
  for (NodeId& loop : loop_) loop = loop == kNoReader ? kNoReader : Merged(loop);
  for (std::vector<NodeId>& members : members_) std::sort(members.begin(), members.end());
}

// Returns true if a dot can read this operand in place: it is a permutation of a whole array.
bool FusionPlan::ReadsTransposed(const Node& node, ValueId operand) const {
  if (!options_.loops || !options_.transposed_dot_operands || node.opcode != Opcode::kDot)
    return false;
  const Source& source = sources_[operand];
  return graph_.producer(operand).opcode == Opcode::kTranspose && !source.is_line &&
         source.view.offset == 0 && source.base >= 0 &&
         graph_.type(source.base).elements == graph_.type(operand).elements &&
         std::none_of(source.view.dimensions.begin(), source.view.dimensions.end(),
                      [](const ViewDimension& d) { return d.size > 1 && d.stride <= 0; });
}

void FusionPlan::Visit(NodeId id) {
  const Node& node = graph_.nodes[id];
  switch (kinds_[id]) {
    case NodeKind::kLeaf:
    case NodeKind::kIota:
      return;
    case NodeKind::kElementwise:
      return VisitElementwise(id);
    case NodeKind::kReshape:
      if (dense_[node.outputs[0]]) NeedDense(node.operands[0]);
      return;
    case NodeKind::kView: {
      const ValueId from = Strip(node.operands[0]);
      const NodeKind kind = kinds_[graph_.values[from].node];
      if (kind == NodeKind::kElementwise || kind == NodeKind::kAssembled) NeedDense(from);
      return;
    }
    case NodeKind::kAssembled:
      return VisitAssembled(node);
    case NodeKind::kStructured:
      for (ValueId operand : node.operands) {
        if (!ReadsTransposed(node, operand)) NeedDense(operand);
      }
      for (ValueId output : node.outputs) NeedDense(output);
      return;
  }
}

// Visits a pad or concatenate. Elements of operands that are views are read from the base arrays,
// so only the base arrays must be dense. The padding value is a single element.
void FusionPlan::VisitAssembled(const Node& node) {
  const size_t pieces = node.opcode == Opcode::kPad ? 1 : node.operands.size();
  for (size_t k = 0; k < node.operands.size(); ++k) {
    const Source source = SourceOf(node.operands[k]);
    NeedDense(k < pieces && !source.is_line ? source.base : node.operands[k]);
  }
}

NodeId FusionPlan::Merged(NodeId root) const {
  while (merged_into_[root] != kNoReader) root = merged_into_[root];
  return root;
}

FusionPlan::Loops FusionPlan::LoopsReading(ValueId value) const {
  Loops loops;
  for (NodeId root : wanted_[value]) {
    const NodeId loop = Merged(root);
    if (std::count(loops.begin(), loops.end(), loop) == 0) loops.push_back(loop);
  }
  return loops;
}

size_t FusionPlan::MembersOf(const Loops& loops) const {
  size_t members = 0;
  for (NodeId root : loops) members += members_[root].size();
  return members;
}

// Returns true if loops that read the same value may be merged. The merged loop computes the value
// itself, and stores it if it has other users. The merged loop runs at the position of the last of
// `loops`, so all users of the loops' results must run later.
bool FusionPlan::MayMerge(const Loops& loops, ValueId value) const {
  if (graph_.type(value).elements < options_.several_results_min) return false;
  if (dense_[value] && !UsersNeedOtherLoops(value, loops, true)) return false;
  return std::all_of(loops.begin(), loops.end(),
                     [&](NodeId root) { return ResultsNeedOtherLoops(root, loops); });
}

bool FusionPlan::ResultsNeedOtherLoops(NodeId root, const Loops& loops) const {
  return std::all_of(members_[root].begin(), members_[root].end(), [&](NodeId member) {
    const ValueId value = graph_.nodes[member].outputs[0];
    return !dense_[value] || UsersNeedOtherLoops(value, loops, true);
  });
}

// Returns true if every user of a loop's result either is in `loops` and reads it in the order in
// which it is written, or runs after `loops`. Returns false if a user is a structured step: such a
// step may be fused (reductions, dots) or be grouped row by row, which requires a loop with one
// result.
bool FusionPlan::UsersNeedOtherLoops(ValueId value, const Loops& loops, bool in_order) const {
  const NodeId last = *std::max_element(loops.begin(), loops.end());
  return std::all_of(users_[value].begin(), users_[value].end(), [&](NodeId user) {
    const NodeKind kind = kinds_[user];
    if (kind == NodeKind::kStructured) return false;
    if (kind == NodeKind::kElementwise) {
      const NodeId loop = Merged(loop_[user]);
      return loop > last || (in_order && std::count(loops.begin(), loops.end(), loop) > 0);
    }
    const ValueId seen = graph_.nodes[user].outputs[0];
    return (user > last || !dense_[seen]) &&
           UsersNeedOtherLoops(seen, loops, in_order && kind == NodeKind::kReshape);
  });
}

NodeId FusionPlan::Merge(const Loops& loops) {
  const NodeId last = *std::max_element(loops.begin(), loops.end());
  for (NodeId root : loops) {
    if (root == last) continue;
    members_[last].insert(members_[last].end(), members_[root].begin(), members_[root].end());
    members_[root].clear();
    merged_into_[root] = last;
  }
  return last;
}

void FusionPlan::VisitElementwise(NodeId id) {
  const Node& node = graph_.nodes[id];
  const ValueId value = node.outputs[0];
  const Loops loops = LoopsReading(value);
  const bool joins = options_.loops && !loops.empty() && MembersOf(loops) < options_.members_max &&
                     ((loops.size() == 1 && !dense_[value]) || MayMerge(loops, value));
  const NodeId root = joins ? Merge(loops) : id;
  loop_[id] = root;
  members_[root].push_back(id);
  if (root == id) NeedDense(value);
  for (ValueId operand : node.operands) {
    const ValueId from = Strip(operand);
    const NodeKind kind = kinds_[graph_.values[from].node];
    if (kind != NodeKind::kElementwise && kind != NodeKind::kAssembled) continue;
    if (graph_.type(from).elements != graph_.type(value).elements) {
      NeedDense(from);
    } else if (kind == NodeKind::kElementwise) {
      wanted_[from].push_back(root);
    }
  }
}

}  // namespace hlocts::plan
