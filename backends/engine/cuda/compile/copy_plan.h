// SPDX-License-Identifier: Apache-2.0
// Plans a copy under views. If contiguous runs allow it, the copy moves wider elements; if
// dimensions are transposed, it proceeds by tiles.
#pragma once

#include <optional>

#include "backends/engine/cuda/device/dispatch.h"
#include "backends/engine/plan/view.h"
#include "spec/base/status.h"

namespace hlocts::cuda {

// Arguments and thread count of a box kernel. The arrays are set later; their addresses are
// multiples of 16. `widen` must be false if starts are computed at run time, because such starts
// count single elements.
struct BoxPlan {
  hl::BoxArgs args = {};
  int64_t count = 0;
};
absl::StatusOr<BoxPlan> PlanBox(const plan::View& from, const plan::View& to, int bytes,
                                bool widen);

// A copy of this view to a dense array by tiles; nullopt if a tile would transpose nothing.
struct TransposePlan {
  hl::TransposeArgs args = {};
  int64_t blocks = 0;
};
absl::StatusOr<std::optional<TransposePlan>> PlanTranspose(const plan::View& from, int bytes);

}  // namespace hlocts::cuda
