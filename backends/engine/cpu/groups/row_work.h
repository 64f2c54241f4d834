// SPDX-License-Identifier: Apache-2.0
// Steps that can run row by row: loops, and reductions of each row to one element.
#pragma once

#include <memory>

#include "backends/engine/cpu/base/part_work.h"
#include "backends/engine/cpu/base/program.h"
#include "backends/engine/cpu/kernels/reduce/reduce.h"
#include "backends/engine/cpu/loops/loop_program.h"

namespace hlocts::cpu {

// Describes how a step runs row by row. It cannot if `loop` is null and `is_reduce` is false.
struct RowWork {
  // The step's loop over `elements` elements, if it is a loop.
  std::shared_ptr<const LoopProgram> loop;
  int64_t elements = 0;
  int width = 0;  // bytes of an element of the result
  // True if the step reduces each row to one element. Its operands are an array and the init.
  bool is_reduce = false;
  kernels::ReduceKind kind = kernels::ReduceKind::kAdd;
  PrimitiveType type = PrimitiveType::kF32;
  int64_t rows = 0, size = 0;
};

// Returns true if a loop over `elements` elements, which are divided into `rows` rows, reads
// `array` only in the row that it computes. A row of the array has `row_elements` elements.
bool ReadsOwnRow(const LoopProgram& loop, int array, int64_t elements, int64_t rows,
                 int64_t row_elements);

// Returns the work as `rows` parts of one row each. `leaves` means that the result is outside the
// group's working memory, so it may be streamed.
PartitionedStep PartsOf(const RowWork& work, int64_t rows, bool leaves = false);

}  // namespace hlocts::cpu
