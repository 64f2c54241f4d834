// SPDX-License-Identifier: Apache-2.0
// Computes the sets of tuples, tokens, and other results that need no arithmetic.
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/interpreter/set_value.h"
#include "spec/ir/instruction.h"

namespace hlocts::reference {

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

namespace {

absl::StatusOr<Literal> NextInfeedLiteral(SetInterpreter& interpreter, const Instruction& infeed,
                                          const Shape& shape) {
  const Literal* literal = interpreter.NextInfeed();
  if (literal == nullptr) {
    return Unsupported(infeed.name(), ": all items of the infeed are used up");
  }
  if (!literal->shape().CompatibleWith(shape)) {
    return InvalidInput(infeed.name(), ": expected an infeed of ", shape.ToString(false),
                        ", found ", literal->shape().ToString(false));
  }
  return *literal;
}

}  // namespace

// Computes the sets of opt-barrier: the stored values pass, but not their pre-rounding intervals.
// If an add reads a product unrounded, it has been fused with the product across the barrier, which
// optimization_barrier.1 forbids. The relaxed profile permits it, and so does the fact
// barrier.crossed in the default profile (ruling 0070).
absl::StatusOr<SetValue> BarrierSets(SetInterpreter& interpreter, const Instruction&, const Shape&,
                                     absl::Span<const SetValue> operands) {
  const bool crossed =
      interpreter.profile() == Profile::kRelaxed ||
      (interpreter.profile() == Profile::kDefault && interpreter.options().facts.barrier_crossed);
  return crossed ? operands[0] : RoundedValue(operands[0]);
}

// Returns infeed data as exact sets; Unimplemented if no literal is left. A tuple is one infeed
// literal, or one literal for each of its elements (infeed.4-10).
absl::StatusOr<SetValue> InfeedSets(SetInterpreter& interpreter, const Instruction& instruction,
                                    const Shape&, absl::Span<const SetValue>) {
  const Shape& data = instruction.shape().tuple_shapes()[0];
  const Literal* next = interpreter.PeekInfeed();
  if (!data.IsTuple() || (next != nullptr && next->shape().IsTuple())) {
    HLOCTS_ASSIGN_OR_RETURN(Literal fed, NextInfeedLiteral(interpreter, instruction, data));
    return SetValue::Tuple({ExactValue(fed), SetValue::Token()});
  }
  std::vector<SetValue> elements;
  for (const Shape& element : data.tuple_shapes()) {
    HLOCTS_ASSIGN_OR_RETURN(Literal fed, NextInfeedLiteral(interpreter, instruction, element));
    elements.push_back(ExactValue(fed));
  }
  return SetValue::Tuple({SetValue::Tuple(std::move(elements)), SetValue::Token()});
}

}  // namespace hlocts::reference
