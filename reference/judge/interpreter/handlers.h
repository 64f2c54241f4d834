// SPDX-License-Identifier: Apache-2.0
// The handlers of set_handlers.def, and their common functions.
#ifndef HLOCTS_REFERENCE_JUDGE_INTERPRETER_HANDLERS_H_
#define HLOCTS_REFERENCE_JUDGE_INTERPRETER_HANDLERS_H_

#include <vector>

#include "absl/types/span.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/interpreter/set_value.h"

namespace hlocts::reference {

#define HLOCTS_DECLARE_SET_HANDLER(function)                                                     \
  absl::StatusOr<SetValue> function(SetInterpreter& interpreter, const Instruction& instruction, \
                                    const Shape& shape, absl::Span<const SetValue> operands);
#define HLOCTS_SET_HANDLER(Opcode, function) HLOCTS_DECLARE_SET_HANDLER(function)
#include "reference/judge/interpreter/set_handlers.def"
#undef HLOCTS_SET_HANDLER
HLOCTS_DECLARE_SET_HANDLER(ElementwiseSets)
#undef HLOCTS_DECLARE_SET_HANDLER

bool IsElementwiseSetOpcode(Opcode opcode);

// The plain evaluator's result on exact operands, flags carried over.
absl::StatusOr<SetValue> PlainResult(SetInterpreter& interpreter, const Instruction& instruction,
                                     const Shape& shape, absl::Span<const SetValue> operands);
// Every element of the shape unspecified, blamed on the instruction.
SetValue UnspecifiedResult(SetInterpreter& interpreter, const Instruction& instruction,
                           const Shape& shape, WideningCause cause);
// The operands as literals; they must be exact.
std::vector<Literal> Literals(absl::Span<const SetValue> operands);
// An s64 literal of that shape numbering its elements from `first`, with the array's run-time
// sizes.
Literal ElementNumbers(const SetArray& array, int64_t first);
// The array `numbers` (s64) picks out of the concatenated elements of `sources`.
SetArray PickElements(const Literal& numbers, const Shape& shape,
                      absl::Span<const SetArray* const> sources, uint32_t origin);
// Applies run-time sizes to a literal of the shape.
Literal WithRuntimeSizes(Literal literal, const SetArray& like);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_INTERPRETER_HANDLERS_H_
