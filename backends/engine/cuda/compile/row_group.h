// SPDX-License-Identifier: Apache-2.0
// Groups consecutive steps that stay within the rows of one matrix into one kernel, a block for
// each row: softmax, normalizations.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_ROW_GROUP_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_ROW_GROUP_H_

#include <functional>
#include <optional>
#include <vector>

#include "backends/engine/cuda/compile/compiler.h"

namespace hlocts::cuda {

// A loop or a reduction before the decision on its group.
struct StepCandidate {
  bool is_reduce = false;
  bool may_group = false;
  int64_t elements = 0;           // of the result
  int64_t rows = 0, columns = 0;  // of a reduction
  int type = 0, init_type = 0;
  std::shared_ptr<const Body> terms, body, finish;
  std::vector<hl::View> views;
  std::vector<int> array_views;  // of each array: the one view that it is read by, -1: in order
                                 // alone, -2: several
  Buffer views_memory;
  // Completes the step as one outside any group.
  std::function<absl::Status(Step& step)> finish_ungrouped;
};

// Steps in order with their sketches (nullopt: neither loop nor reduction). Groups as many as
// possible, and finishes all others.
absl::Status GroupRows(Compiler& compiler, std::vector<std::optional<StepCandidate>>& sketches,
                       Function& function);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_ROW_GROUP_H_
