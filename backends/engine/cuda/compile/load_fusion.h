// SPDX-License-Identifier: Apache-2.0
// Decides which pads and gathers a loop computes while reading them, element by element: those that
// only one loop needs, each element once and in order.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_LOAD_FUSION_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_LOAD_FUSION_H_

#include <vector>

#include "backends/engine/plan/fusion.h"

namespace hlocts::cuda {

// Special readers of a value: none seen yet; not a single loop.
inline constexpr plan::NodeId kNoReader = -1, kNoLoop = -2;

class LoadFusion {
 public:
  // Without `fuse`, none.
  LoadFusion(const plan::Graph& graph, const plan::FusionPlan& loops, bool fuse);
  bool is_fused(plan::NodeId node) const { return taken_[node]; }

 private:
  std::vector<bool> taken_;
};

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_LOAD_FUSION_H_
