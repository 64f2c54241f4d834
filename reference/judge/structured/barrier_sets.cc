// SPDX-License-Identifier: Apache-2.0
// Sets of opt-barrier: values pass, what they were before they were rounded does not. A product
// that an add reads unrounded has been moved to the add (optimization_barrier.1).
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/interpreter/rounded_value.h"

namespace hlocts::reference {

// Ruling 0070: relaxed, and an engine that declares barrier.crossed, may compute across.
absl::StatusOr<SetValue> BarrierSets(SetInterpreter& interpreter, const Instruction&, const Shape&,
                                     absl::Span<const SetValue> operands) {
  const bool crossed =
      interpreter.profile() == Profile::kRelaxed ||
      (interpreter.profile() == Profile::kDefault && interpreter.options().facts.barrier_crossed);
  return crossed ? operands[0] : RoundedValue(operands[0]);
}

}  // namespace hlocts::reference
