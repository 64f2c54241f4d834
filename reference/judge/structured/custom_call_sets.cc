// SPDX-License-Identifier: Apache-2.0
// Computes the sets of custom calls.
#include "reference/custom_call.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/structured/lapack_sets.h"
#include "spec/ir/instruction.h"

namespace hlocts::reference {

// A LAPACK routine has special sets. Any other custom call is run on known operands; for uncertain
// operands its result is unknown.
absl::StatusOr<SetValue> CustomCallSets(SetInterpreter& interpreter, const Instruction& instruction,
                                        const Shape& shape, absl::Span<const SetValue> operands) {
  const CustomCallLibrary* library = interpreter.options().custom_calls;
  const std::string* target = instruction.Get<std::string>(Attr::kCustomCallTarget);
  if (library == nullptr || target == nullptr || !library->Has(*target)) {
    if (const std::optional<LapackCall> routine = LapackCallOf(instruction)) {
      return LapackCallSets(interpreter, *routine, instruction, shape, operands);
    }
  }
  for (const SetValue& operand : operands) {
    if (!IsExact(operand)) {
      return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
    }
  }
  return PlainResult(interpreter, instruction, shape, operands);
}

}  // namespace hlocts::reference
