// SPDX-License-Identifier: Apache-2.0
// Decides which pads and gathers become part of the loop that reads them, which then computes their
// elements instead of reading an array. Only this loop may read them, each element once and in
// order.
#pragma once

#include <vector>

#include "backends/engine/plan/fusion.h"

namespace hlocts::cuda {

// Used instead of a reading loop's node: the value has no reader; its readers are not one loop.
inline constexpr plan::NodeId kNoReader = -1, kNoLoop = -2;

class LoadFusion {
 public:
  // If `fuse` is false, no pad or gather is fused.
  LoadFusion(const plan::Graph& graph, const plan::FusionPlan& loops, bool fuse);
  bool is_fused(plan::NodeId node) const { return taken_[node]; }

 private:
  std::vector<bool> taken_;
};

}  // namespace hlocts::cuda
