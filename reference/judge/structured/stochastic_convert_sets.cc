// SPDX-License-Identifier: Apache-2.0
// Computes the sets of stochastic-convert.
#include <algorithm>

#include "reference/judge/interpreter/handlers.h"

namespace hlocts::reference {

// Permits either neighbour of a value, and only the value itself if it is representable.
absl::StatusOr<SetValue> StochasticConvertSets(SetInterpreter& interpreter,
                                               const Instruction& instruction, const Shape& shape,
                                               absl::Span<const SetValue> operands) {
  const SetArray& operand = operands[0].array;
  if (!IsFloat(shape.element_type())) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  SetContext context =
      interpreter.ContextOf(instruction, operand.element_type(), shape.element_type());
  std::vector<AcceptanceSet> sets;
  for (int64_t i = 0; i < operand.element_count(); ++i) {
    AcceptanceSet s = operand.At(i);
    if (s.unspecified() || !s.finite() ||
        s.flags & (AcceptanceSet::kNan | AcceptanceSet::kPosInf | AcceptanceSet::kNegInf)) {
      sets.push_back(ConvertFloatToFloat(s, context));
      continue;
    }
    double lo = context.result->RoundDown(s.lo), hi = context.result->RoundUp(s.hi);
    AcceptanceSet neighbours = lo == hi && s.lo == 0
                                   ? s
                                   : AcceptanceSet::Interval(std::max(lo, -context.result->max),
                                                             std::min(hi, context.result->max));
    if (hi > context.result->max) neighbours.flags |= AcceptanceSet::kPosInf;
    if (lo < -context.result->max) neighbours.flags |= AcceptanceSet::kNegInf;
    neighbours.cause = WideningCause::kFreedom;
    neighbours.origin = context.origin;
    sets.push_back(neighbours);
  }
  SetArray result(shape, std::move(sets));
  result.origin = context.origin;
  return SetValue(Compress(std::move(result)));
}

}  // namespace hlocts::reference
