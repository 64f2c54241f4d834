// SPDX-License-Identifier: Apache-2.0
// Decides which pads and gathers are fused into the loop that reads them. The loop then computes
// their elements instead of reading an array. The loop must be the only reader, and read each
// element once and in order.
#pragma once

#include <vector>

#include "backends/engine/plan/fusion.h"

namespace hlocts::cuda {

// Used instead of a loop's NodeId: the value has no reader, or its readers are not a single loop.
inline constexpr plan::NodeId kNoReader = -1, kNoLoop = -2;

class LoadFusion {
 public:
  // If `fuse` is false, fuses no pad or gather.
  LoadFusion(const plan::Graph& graph, const plan::FusionPlan& loops, bool fuse);
  bool is_fused(plan::NodeId node) const { return taken_[node]; }

 private:
  std::vector<bool> taken_;
};

}  // namespace hlocts::cuda
