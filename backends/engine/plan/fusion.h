// SPDX-License-Identifier: Apache-2.0
// Decides which nodes of a graph are computed together in one loop, which values have separate
// memory, and which values are only views of others.
#pragma once

#include <vector>

#include "backends/engine/plan/graph.h"
#include "backends/engine/plan/view.h"

namespace hlocts::plan {

enum class NodeKind : uint8_t {
  kLeaf,  // a parameter or constant
  kElementwise,
  kReshape,     // same elements in the same order
  kView,        // broadcast, transpose, slice, reverse
  kIota,        // a view of the sequence 0, 1, 2, ...
  kAssembled,   // pad or concatenate, if loops can assemble them
  kStructured,  // a separate step
};
bool IsElementwise(Opcode opcode);
NodeKind KindOf(const Graph& graph, const Node& node);

// The place from which a value's elements are read.
struct Source {
  ValueId base = -1;     // a value with separate memory, or an iota
  bool is_line = false;  // `view` is a view of the sequence 0, 1, 2, ..., not of the whole array
  View view;
};

// The capabilities of an engine.
struct FusionOptions {
  bool loops = true;                     // loops may have several nodes
  bool transposed_dot_operands = false;  // dots can read transposed arrays in place
  bool pieces = false;      // loops can assemble pads and concatenates from their operands
  size_t members_max = 48;  // the maximum number of nodes of a loop
  // The least number of elements for which a loop may have several results (multi-output fusion).
  int64_t several_results_min = INT64_MAX;
};

class FusionPlan {
 public:
  FusionPlan(const Graph& graph, FusionOptions options);

  NodeKind kind(NodeId node) const { return kinds_[node]; }
  bool is_dense(ValueId value) const { return dense_[value]; }
  Source SourceOf(ValueId value) const;
  // Returns the source from which a view or an iota is copied if it must be dense.
  const Source& ViewSourceOf(ValueId value) const { return sources_[value]; }
  // Returns the value to which a chain of reshapes is applied, or `value` if it is no reshape.
  ValueId Strip(ValueId value) const;
  // Returns the last node of the loop to which an element-wise node belongs.
  NodeId loop_of(NodeId node) const { return loop_[node]; }
  // Returns how many operands of nodes are this value.
  size_t use_count(ValueId value) const { return users_[value].size(); }
  // Returns the members of the loop whose last node is `root`, in order. The loop's results are the
  // values of members that are dense.
  const std::vector<NodeId>& members(NodeId root) const { return members_[root]; }

 private:
  void FindViews();
  void FindLoops();
  bool ReadsTransposed(const Node& node, ValueId operand) const;
  void Visit(NodeId id);
  void VisitElementwise(NodeId id);
  void VisitAssembled(const Node& node);
  void NeedDense(ValueId value) { dense_[value] = true; }

  // A set of loops, each identified by its last node.
  using Loops = absl::InlinedVector<NodeId, 2>;
  NodeId Merged(NodeId root) const;
  Loops LoopsReading(ValueId value) const;
  size_t MembersOf(const Loops& loops) const;
  bool MayMerge(const Loops& loops, ValueId value) const;
  bool ResultsNeedOtherLoops(NodeId root, const Loops& loops) const;
  bool UsersNeedOtherLoops(ValueId value, const Loops& loops, bool in_order) const;
  NodeId Merge(const Loops& loops);

  const Graph& graph_;
  FusionOptions options_;
  std::vector<NodeKind> kinds_;
  std::vector<Source> sources_;  // indexed by value; set for reshapes, views and iotas only
  std::vector<bool> dense_;
  std::vector<Loops> wanted_;  // indexed by value: last nodes of the loops that read it
  // Indexed by the last node of a loop: the last node of the loop into which it was merged.
  std::vector<NodeId> merged_into_;
  std::vector<absl::InlinedVector<NodeId, 4>> users_;
  std::vector<NodeId> loop_;
  std::vector<std::vector<NodeId>> members_;
};

}  // namespace hlocts::plan
