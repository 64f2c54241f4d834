// SPDX-License-Identifier: Apache-2.0
// Decides which loops and copies are fused into a reduction: those whose results only the reduction
// reads (the prologue), and the only reader of the reduction's result, if a loop (the epilogue).
#pragma once

#include <vector>

#include "backends/engine/plan/fusion.h"

namespace hlocts::cuda {

class ReduceFusion {
 public:
  // If `fuse` is false, no reduction is fused.
  ReduceFusion(const plan::Graph& graph, const plan::FusionPlan& loops, bool fuse);

  // Returns true if blocks of threads compute the reduction, so it may be fused with loops.
  static bool IsBlockReduce(const plan::Graph& graph, const plan::Node& node);
  // Returns true if a reduction computes this view, iota or loop (identified by its last node).
  bool is_fused(plan::NodeId node) const { return taken_[node]; }
  // Return the reduction whose epilogue this loop is, and the epilogue of a reduction; -1 if none.
  plan::NodeId reduce_of(plan::NodeId root) const { return reduce_of_[root]; }
  plan::NodeId epilogue_of(plan::NodeId reduce) const { return ending_of_[reduce]; }

 private:
  void CountUsers();
  void TakeOperands(plan::NodeId id);
  void FuseEpilogue(plan::NodeId id);

  const plan::Graph& graph_;
  const plan::FusionPlan& loops_;
  std::vector<int> users_;  // uses of each value, reshapes removed; a graph result counts twice
  std::vector<plan::NodeId> user_loop_;  // the only loop that uses the value; or kNoReader, kNoLoop
  std::vector<bool> taken_;
  std::vector<plan::NodeId> reduce_of_, ending_of_;
};

}  // namespace hlocts::cuda
