// SPDX-License-Identifier: Apache-2.0

#include "reference/ops/applied_computation.h"
#include "reference/ops/structured.h"

namespace hlocts::reference {

// map.5-9: computes each result element from the operands' elements at the same index. Operands may
// differ in type; the result has their dimensions (ruling 0048).
absl::StatusOr<Literal> EvaluateMap(EvalContext& context, const Instruction& instruction,
                                    absl::Span<Literal> operands) {
  const Shape shape(instruction.shape().element_type(), operands[0].shape().dimensions());
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(shape));
  HLOCTS_ASSIGN_OR_RETURN(
      AppliedComputation body,
      AppliedComputation::Of(context, *instruction.CalledComputation(Attr::kToApply)));
  Literal out(shape);
  if (out.element_count() == 0) return out;
  if (body.function() != nullptr) {
    std::vector<const void*> arrays;
    for (const Literal& operand : operands) arrays.push_back(operand.raw_data());
    void* results[1] = {out.mutable_raw_data()};
    body.function()->RunBatch(arrays, results, out.element_count());
    return out;
  }
  const std::vector<int> widths = ElementWidths(operands);
  const int result_width = StorageBytes(shape.element_type());
  std::vector<Slot> slots(operands.size() + 1);
  for (int64_t i = 0; i < out.element_count(); ++i) {
    LoadSlots(operands, widths, i, slots.data());
    body(slots.data(), slots.data());
    slots[0].Store(out.mutable_raw_data() + i * result_width, result_width);
    HLOCTS_RETURN_IF_ERROR(body.status());
  }
  return out;
}

}  // namespace hlocts::reference
