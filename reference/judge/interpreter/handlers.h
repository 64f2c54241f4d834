// SPDX-License-Identifier: Apache-2.0
// Declares the handlers of set_handlers.def and their common functions.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/interpreter/set_value.h"

namespace hlocts::reference {

#define HLOCTS_DECLARE_SET_HANDLER(function)                                                     \
  absl::StatusOr<SetValue> function(SetInterpreter& interpreter, const Instruction& instruction, \
                                    const Shape& shape, absl::Span<const SetValue> operands);
#define HLOCTS_SET_HANDLER(Opcode, function, ...) HLOCTS_DECLARE_SET_HANDLER(function)
#include "reference/judge/interpreter/set_handlers.def"
#undef HLOCTS_SET_HANDLER
HLOCTS_DECLARE_SET_HANDLER(ElementwiseSets)
#undef HLOCTS_DECLARE_SET_HANDLER

bool IsElementwiseSetOpcode(Opcode opcode);

// Returns the plain evaluator's result on exact operands, with the flags of these operands.
absl::StatusOr<SetValue> PlainResult(SetInterpreter& interpreter, const Instruction& instruction,
                                     const Shape& shape, absl::Span<const SetValue> operands);
// Returns a value with unspecified elements, and records the instruction as its origin.
SetValue UnspecifiedResult(SetInterpreter& interpreter, const Instruction& instruction,
                           const Shape& shape, WideningCause cause);
// Returns the operands as literals; they must be exact.
std::vector<Literal> Literals(absl::Span<const SetValue> operands);
// Returns an s64 array of equal shape and run-time sizes that numbers elements from `first` on.
Literal ElementNumbers(const SetArray& array, int64_t first);
// Returns the elements that `numbers` (s64) selects from the concatenated elements of `sources`.
SetArray PickElements(const Literal& numbers, const Shape& shape,
                      absl::Span<const SetArray* const> sources, uint32_t origin);
Literal WithRuntimeSizes(Literal literal, const SetArray& like);

// Keeps the operands of a maximum, minimum or reduction if a comparison of its parent reads the
// result and one of these operands.
void KeepIfCompared(SetInterpreter& interpreter, const Instruction& extremum,
                    absl::Span<const SetValue> operands);

// Computes sharding custom calls (ruling 0123) from the operands of each of `devices`.
absl::StatusOr<std::vector<SetValue>> ShardingCallSets(
    SetInterpreter& interpreter, const Instruction& call,
    const std::vector<std::vector<SetValue>>& operands, const std::vector<int64_t>& devices);

}  // namespace hlocts::reference
