// Which nodes of a graph are computed together in one loop, which values get memory of their own,
// and which are only views of others.
#ifndef HLOCTS_BACKENDS_CPU_FUSION_H_
#define HLOCTS_BACKENDS_CPU_FUSION_H_

#include <vector>

#include "backends/plan/graph.h"
#include "backends/plan/view.h"

namespace hlocts::cpu {

enum class NodeKind : uint8_t {
  kLeaf,        // parameter, constant
  kElementwise,
  kReshape,     // the same elements in the same order
  kView,        // broadcast, transpose, slice, reverse
  kIota,        // a view of the line 0, 1, 2, ...
  kStructured,  // a step of its own
};
NodeKind KindOf(const plan::Graph& graph, const plan::Node& node);

// Where a value's elements are found.
struct Source {
  plan::ValueId base = -1;  // a value with memory of its own, or an iota
  bool is_line = false;     // of the iota's line, not of the whole array
  plan::View view;
};

class FusionPlan {
 public:
  FusionPlan(const plan::Graph& graph, bool fuse);

  bool is_dense(plan::ValueId value) const { return dense_[value]; }
  Source SourceOf(plan::ValueId value) const;
  // Of a view or an iota: where to copy it from when it is to be dense.
  const Source& ViewSourceOf(plan::ValueId value) const { return sources_[value]; }
  // Behind reshapes.
  plan::ValueId Strip(plan::ValueId value) const;
  // Of an element-wise node: the node whose loop it is part of, itself if it is the last one.
  plan::NodeId loop_of(plan::NodeId node) const { return loop_[node]; }
  // In order; of the node that ends a loop.
  const std::vector<plan::NodeId>& members(plan::NodeId root) const { return members_[root]; }

 private:
  void FindViews();
  void FindLoops(bool fuse);
  void Visit(plan::NodeId id, bool fuse);
  void VisitElementwise(plan::NodeId id, bool fuse);
  void NeedDense(plan::ValueId value) { dense_[value] = true; }

  const plan::Graph& graph_;
  std::vector<NodeKind> kinds_;
  std::vector<Source> sources_;        // of values that reshapes, views and iotas produce
  std::vector<bool> dense_;
  std::vector<plan::NodeId> wanted_;   // the loop that all users so far are in; see fusion.cc
  std::vector<plan::NodeId> loop_;
  std::vector<std::vector<plan::NodeId>> members_;
};

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_CPU_FUSION_H_
