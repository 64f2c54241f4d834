// SPDX-License-Identifier: Apache-2.0
// Computes the sets of opt-barrier: passes stored values on, without pre-rounding intervals. To
// read a product unrounded, an add would have to be fused with it (optimization_barrier.1).
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/interpreter/rounded_value.h"

namespace hlocts::reference {

// In the relaxed profile, or with the fact barrier.crossed, it may be crossed (ruling 0070).
absl::StatusOr<SetValue> BarrierSets(SetInterpreter& interpreter, const Instruction&, const Shape&,
                                     absl::Span<const SetValue> operands) {
  const bool crossed =
      interpreter.profile() == Profile::kRelaxed ||
      (interpreter.profile() == Profile::kDefault && interpreter.options().facts.barrier_crossed);
  return crossed ? operands[0] : RoundedValue(operands[0]);
}

}  // namespace hlocts::reference
