// SPDX-License-Identifier: Apache-2.0
// Steps that work row by row: loops, and reductions of rows.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_GROUPS_ROW_WORK_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_GROUPS_ROW_WORK_H_

#include <memory>

#include "backends/engine/cpu/base/part_work.h"
#include "backends/engine/cpu/base/program.h"
#include "backends/engine/cpu/kernels/reduce/reduce.h"
#include "backends/engine/cpu/loops/loop_program.h"

namespace hlocts::cpu {

// The work of a step on rows; with neither field the step does not work by rows.
struct RowWork {
  // A loop over so many elements.
  std::shared_ptr<const LoopProgram> loop;
  int64_t elements = 0;
  int width = 0;  // of the result
  // A reduction of each row to one element: operands are the array and the initial value.
  bool is_reduce = false;
  kernels::ReduceKind kind = kernels::ReduceKind::kAdd;
  PrimitiveType type = PrimitiveType::kF32;
  int64_t rows = 0, size = 0;
};

// Returns true if a loop over `elements`, seen as `rows` rows, reads array `array`, of
// `row_elements` elements per row, only at the row that it computes.
bool ReadsOwnRow(const LoopProgram& loop, int array, int64_t elements, int64_t rows,
                 int64_t row_elements);

// The work split into `rows` rows, each a part.
PartWork PartsOf(const RowWork& work, int64_t rows);

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_GROUPS_ROW_WORK_H_
