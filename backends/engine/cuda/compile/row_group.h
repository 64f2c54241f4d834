// SPDX-License-Identifier: Apache-2.0
// Groups consecutive steps that stay within the rows of one matrix, such as a softmax or a
// normalization, into one kernel with a block for each row.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "backends/engine/cuda/compile/compiler.h"

namespace hlocts::cuda {

// A loop or a reduction before its group is decided.
struct StepCandidate {
  bool is_reduce = false;
  bool may_group = false;
  int64_t elements = 0;           // elements of the result
  int64_t rows = 0, columns = 0;  // shape of a reduction
  int type = 0, init_type = 0;
  std::shared_ptr<const Body> terms, body, finish;
  std::vector<hl::View> views;
  // The view through which each array is read. -1: in order only; -2: several views.
  std::vector<int> array_views;
  Buffer views_memory;
  // Completes the step outside any group.
  std::function<absl::Status(Step& step)> finish_ungrouped;
};

// Groups as many steps as possible, and finishes the others with `finish_ungrouped`. `sketches` has
// an entry for each step, in order; it is nullopt if the step is neither a loop nor a reduction.
absl::Status GroupRows(Compiler& compiler, std::vector<std::optional<StepCandidate>>& sketches,
                       Function& function);

}  // namespace hlocts::cuda
