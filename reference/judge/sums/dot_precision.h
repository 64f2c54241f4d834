// SPDX-License-Identifier: Apache-2.0
// The effect of the attributes `algorithm` and `operand_precision` of a contraction on its operands
// and its accumulator.
#ifndef HLOCTS_REFERENCE_JUDGE_SUMS_DOT_PRECISION_H_
#define HLOCTS_REFERENCE_JUDGE_SUMS_DOT_PRECISION_H_

#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/sums/sums.h"

namespace hlocts::reference {

// The rule of sums of products of operands of `type`, under the profile, the engine's facts and the
// attributes of the instruction. An algorithm fixes its own; operand_precision determines which of
// the freedoms of f32 remain.
SumRule ContractionSumRule(SetInterpreter& interpreter, const Instruction& instruction,
                           const Rule& rule, PrimitiveType type);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_SUMS_DOT_PRECISION_H_
