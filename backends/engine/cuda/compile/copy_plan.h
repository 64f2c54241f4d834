// SPDX-License-Identifier: Apache-2.0
// Plans a copy between two views. If both have contiguous runs, wider elements are copied. If
// dimensions are transposed, the copy is done by tiles.
#pragma once

#include <optional>

#include "backends/engine/cuda/device/dispatch.h"
#include "backends/engine/plan/view.h"
#include "spec/base/status.h"

namespace hlocts::cuda {

// The arguments and the thread count of a box kernel. Arrays are set later; their addresses are
// multiples of 16. If `widen`, several elements may be copied as one; it must be false if starts
// are computed at run time, because those count single elements.
struct BoxPlan {
  hl::BoxArgs args = {};
  int64_t count = 0;
};
absl::StatusOr<BoxPlan> PlanBox(const plan::View& from, const plan::View& to, int bytes,
                                bool widen);

// A copy of a view to a dense array by tiles. Is nullopt if no two dimensions are exchanged.
struct TransposePlan {
  hl::TransposeArgs args = {};
  int64_t blocks = 0;
};
absl::StatusOr<std::optional<TransposePlan>> PlanTranspose(const plan::View& from, int bytes);

}  // namespace hlocts::cuda
