// SPDX-License-Identifier: Apache-2.0
// Applies a contraction's `algorithm` and `operand_precision` to its operands and its accumulator.
#pragma once

#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/sums/sums.h"

namespace hlocts::reference {

// Returns the rule for sums of products whose operands have type `type`. It depends on the profile,
// the engine's facts and the instruction's attributes: an algorithm determines the whole rule, and
// operand_precision the permitted readings of f32 operands.
SumRule ContractionSumRule(SetInterpreter& interpreter, const Instruction& instruction,
                           const Rule& rule, PrimitiveType type);

}  // namespace hlocts::reference
