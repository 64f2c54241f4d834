// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "reference/kernels/gather_scatter.h"
#include "reference/kernels/index_values.h"
#include "reference/ops/applied_computation.h"
#include "reference/ops/structured.h"

namespace hlocts::reference {

// scatter.36-51: the results start as the operands. For every update, in row-major order of the
// scatter dimensions and then of the window, update_computation(current values, updates) replaces
// the values of all N results at the update's index, if the index is valid. A window that is partly
// outside updates the elements inside (ruling 0011). The order is free; this order is our choice
// (ruling 0075).
absl::StatusOr<Literal> EvaluateScatter(EvalContext& context, const Instruction& instruction,
                                        absl::Span<Literal> operands) {
  const size_t n = operands.size() / 2;
  const Literal& indices = operands[n];
  const absl::Span<Literal> updates = operands.subspan(n + 1);
  const WindowsGeometry geometry =
      ScatterGeometryOf(instruction, operands[0].shape().dimensions(), indices.shape().dimensions(),
                        updates[0].shape().dimensions());
  HLOCTS_ASSIGN_OR_RETURN(
      AppliedComputation body,
      AppliedComputation::Of(context, *instruction.CalledComputation(Attr::kToApply)));
  std::vector<Literal> results;
  std::vector<uint8_t*> data;
  for (size_t k = 0; k < n; ++k) {
    if (!operands[k].UniqueStorage()) {
      HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(operands[k].shape()));
    }
    results.push_back(std::move(operands[k]));
    data.push_back(results[k].mutable_raw_data());
  }
  if (updates[0].element_count() == 0) return Collated(instruction.shape(), std::move(results));
  const std::vector<int> widths = ElementWidths(results);
  std::vector<Slot> slots(2 * n);
  auto update_one = [&](int64_t at, int64_t update) {
    for (size_t k = 0; k < n; ++k) slots[k].Load(data[k] + at * widths[k], widths[k]);
    LoadSlots(updates, widths, update, slots.data() + n);
    const bool applied = body(slots.data(), slots.data());
    for (size_t k = 0; k < n; ++k) slots[k].Store(data[k] + at * widths[k], widths[k]);
    return applied;
  };
  ForEachPlace(geometry, IndexReader(indices), /*clamp=*/false, [&](const WindowPlace& place) {
    return ForEachUpdate(geometry, place, update_one);
  });
  HLOCTS_RETURN_IF_ERROR(body.status());
  return Collated(instruction.shape(), std::move(results));
}

}  // namespace hlocts::reference
