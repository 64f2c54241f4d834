// SPDX-License-Identifier: Apache-2.0
// Decides which nodes of a graph are computed together in one loop, which values get memory of
// their own, and which are only views of others.
#ifndef HLOCTS_BACKENDS_ENGINE_PLAN_FUSION_H_
#define HLOCTS_BACKENDS_ENGINE_PLAN_FUSION_H_

#include <vector>

#include "backends/engine/plan/graph.h"
#include "backends/engine/plan/view.h"

namespace hlocts::plan {

enum class NodeKind : uint8_t {
  kLeaf,  // parameter, constant
  kElementwise,
  kReshape,     // the same elements in the same order
  kView,        // broadcast, transpose, slice, reverse
  kIota,        // a view of the line 0, 1, 2, ...
  kAssembled,   // pad, concatenate, where loops can assemble them
  kStructured,  // a step of its own
};
// Returns true if the opcode is computed element by element.
bool IsElementwise(Opcode opcode);
NodeKind KindOf(const Graph& graph, const Node& node);

// The location of a value's elements.
struct Source {
  ValueId base = -1;     // a value with memory of its own, or an iota
  bool is_line = false;  // of the iota's line, not of the whole array
  View view;
};

// The capabilities of an engine.
struct FusionOptions {
  bool loops = true;         // of several nodes
  bool turned_dots = false;  // dots read transposes of arrays in place
  bool pieces = false;       // loops read the operands of pads and concatenates
  size_t members_max = 48;   // nodes of a loop
  // Loops of at least this many elements may have several results (multi-output fusion).
  int64_t several_results_min = INT64_MAX;
};

class FusionPlan {
 public:
  FusionPlan(const Graph& graph, FusionOptions options);

  NodeKind kind(NodeId node) const { return kinds_[node]; }
  bool is_dense(ValueId value) const { return dense_[value]; }
  Source SourceOf(ValueId value) const;
  // For a view or an iota: the source to copy it from when it must be dense.
  const Source& ViewSourceOf(ValueId value) const { return sources_[value]; }
  // The value behind reshapes.
  ValueId Strip(ValueId value) const;
  // For an element-wise node: the node whose loop it is part of, itself if it is the last one.
  NodeId loop_of(NodeId node) const { return loop_[node]; }
  // The number of node operands that are this value.
  size_t use_count(ValueId value) const { return users_[value].size(); }
  // The members of the loop that ends at this node, in order. Those with dense values are its
  // results.
  const std::vector<NodeId>& members(NodeId root) const { return members_[root]; }

 private:
  void FindViews();
  void FindLoops();
  bool ReadsTurned(const Node& node, ValueId operand) const;
  void Visit(NodeId id);
  void VisitElementwise(NodeId id);
  void VisitAssembled(const Node& node);
  void NeedDense(ValueId value) { dense_[value] = true; }

  // Loops by the nodes that end them.
  using Loops = absl::InlinedVector<NodeId, 2>;
  NodeId Merged(NodeId root) const;
  Loops WantedBy(ValueId value) const;
  size_t MembersOf(const Loops& loops) const;
  bool MayMerge(const Loops& loops, ValueId value) const;
  bool ResultsWait(NodeId root, const Loops& loops) const;
  bool UsersWait(ValueId value, const Loops& loops, bool in_order) const;
  NodeId Merge(const Loops& loops);

  const Graph& graph_;
  FusionOptions options_;
  std::vector<NodeKind> kinds_;
  std::vector<Source> sources_;  // of values that reshapes, views and iotas produce
  std::vector<bool> dense_;
  std::vector<Loops> wanted_;        // the loops that users so far are in
  std::vector<NodeId> merged_into_;  // of a root: the loop into which its loop was merged
  std::vector<absl::InlinedVector<NodeId, 4>> users_;
  std::vector<NodeId> loop_;
  std::vector<std::vector<NodeId>> members_;
};

}  // namespace hlocts::plan

#endif  // HLOCTS_BACKENDS_ENGINE_PLAN_FUSION_H_
