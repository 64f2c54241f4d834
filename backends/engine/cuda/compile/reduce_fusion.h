// SPDX-License-Identifier: Apache-2.0
// Decides which loops and copies of a graph are fused into a reduction: those that compute its
// operands only for it, and the only loop that reads its result.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_REDUCE_FUSION_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_REDUCE_FUSION_H_

#include <vector>

#include "backends/engine/plan/fusion.h"

namespace hlocts::cuda {

class ReduceFusion {
 public:
  // Without `fuse`, reductions are not fused.
  ReduceFusion(const plan::Graph& graph, const plan::FusionPlan& loops, bool fuse);

  // Returns true if a reduction runs as blocks of threads, and may be fused with others.
  static bool IsBlockReduce(const plan::Graph& graph, const plan::Node& node);
  // The node (the last of a loop, a view, an iota) is computed by the reduction that needs it.
  bool is_fused(plan::NodeId node) const { return taken_[node]; }
  // The reduction that the loop of this node ends, -1: none; and the loop that ends this reduction.
  plan::NodeId reduce_of(plan::NodeId root) const { return reduce_of_[root]; }
  plan::NodeId epilogue_of(plan::NodeId reduce) const { return ending_of_[reduce]; }

 private:
  void CountUsers();
  void TakeOperands(plan::NodeId id);
  void FuseEpilogue(plan::NodeId id);

  const plan::Graph& graph_;
  const plan::FusionPlan& loops_;
  std::vector<int> users_;  // of values behind reshapes; results count as two
  std::vector<plan::NodeId>
      user_loop_;  // the one loop that all users are in, -1: no user, -2: no loop
  std::vector<bool> taken_;
  std::vector<plan::NodeId> reduce_of_, ending_of_;
};

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_REDUCE_FUSION_H_
