// SPDX-License-Identifier: Apache-2.0
// Groups consecutive steps that read only within rows of a matrix, as in a softmax or a
// normalization, into one kernel with a block for each row.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "backends/engine/cuda/compile/compiler.h"

namespace hlocts::cuda {

// The description of a loop or a reduction that may become a part of a group.
struct StepCandidate {
  bool is_reduce = false;
  bool may_group = false;
  int64_t elements = 0;           // number of the result's elements
  int64_t rows = 0, columns = 0;  // sizes of a reduction's terms
  int type = 0, init_type = 0;
  std::shared_ptr<const Body> terms, body, finish;
  std::vector<hl::View> views;
  // The view under which each array is read; -1 if in order only, -2 if under several views.
  std::vector<int> array_views;
  Buffer views_memory;
  // Completes the step if it is in no group.
  std::function<absl::Status(Step& step)> finish_ungrouped;
};

// Groups as many steps as possible, and calls `finish_ungrouped` of the others. `sketches` has an
// entry for each step. The entry is nullopt if the step is neither a loop nor a reduction.
absl::Status GroupRows(Compiler& compiler, std::vector<std::optional<StepCandidate>>& sketches,
                       Function& function);

}  // namespace hlocts::cuda
