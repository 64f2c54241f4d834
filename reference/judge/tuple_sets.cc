// Tuples, tokens, sources of values without arithmetic, and calls out of the module.
#include "reference/custom_call.h"
#include "reference/judge/handlers.h"

namespace hlocts {

absl::StatusOr<SetValue> TupleSets(SetInterpreter&, const Instruction&, const Shape&,
                                   absl::Span<const SetValue> operands) {
  return SetValue::Tuple(std::vector<SetValue>(operands.begin(), operands.end()));
}

absl::StatusOr<SetValue> GetTupleElementSets(SetInterpreter&, const Instruction& instruction,
                                             const Shape&, absl::Span<const SetValue> operands) {
  return operands[0].elements[instruction.IntOr(Attr::kIndex, 0)];
}

absl::StatusOr<SetValue> TokenSets(SetInterpreter&, const Instruction&, const Shape&,
                                   absl::Span<const SetValue>) {
  return SetValue::Token();
}

absl::StatusOr<SetValue> ConstantSets(SetInterpreter&, const Instruction& instruction, const Shape&,
                                      absl::Span<const SetValue>) {
  return ExactValue(instruction.literal());
}

absl::StatusOr<SetValue> PlainSets(SetInterpreter& interpreter, const Instruction& instruction,
                                   const Shape& shape, absl::Span<const SetValue> operands) {
  return PlainResult(interpreter, instruction, shape, operands);
}

// What the host feeds is data like a parameter; without it nothing is known.
absl::StatusOr<SetValue> InfeedSets(SetInterpreter& interpreter, const Instruction& instruction,
                                    const Shape& shape, absl::Span<const SetValue>) {
  const Literal* literal = interpreter.NextInfeed();
  if (literal == nullptr) {
    return Unsupported(instruction.name(), ": no infeed literal is left for it");
  }
  return SetValue::Tuple({ExactValue(*literal), SetValue::Token()});
}

// A custom call on known operands is run; what it does with uncertain ones nobody knows.
absl::StatusOr<SetValue> CustomCallSets(SetInterpreter& interpreter, const Instruction& instruction,
                                        const Shape& shape, absl::Span<const SetValue> operands) {
  for (const SetValue& operand : operands) {
    if (!IsExact(operand)) {
      return UnspecifiedResult(interpreter, instruction, shape, Term::kUnknown);
    }
  }
  return PlainResult(interpreter, instruction, shape, operands);
}

}  // namespace hlocts
