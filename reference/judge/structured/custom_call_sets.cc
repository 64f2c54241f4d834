// SPDX-License-Identifier: Apache-2.0
// Sets of calls out of the module.
#include "reference/custom_call.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/structured/lapack_sets.h"
#include "spec/ir/instruction.h"

namespace hlocts::reference {

// A routine of LAPACK has sets of its own. Another custom call on known operands is run; its result
// for uncertain ones is unknown.
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
