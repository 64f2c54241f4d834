// SPDX-License-Identifier: Apache-2.0
// Declares the sets of a custom call to a LAPACK routine.
#pragma once

#include "reference/judge/interpreter/set_interpreter.h"
#include "spec/ops/custom_calls.h"

namespace hlocts::reference {

// Computes the sets of the call. Returns InvalidArgument if the shapes do not match the routine.
absl::StatusOr<SetValue> LapackCallSets(SetInterpreter& interpreter, const LapackCall& call,
                                        const Instruction& instruction, const Shape& shape,
                                        absl::Span<const SetValue> operands);

}  // namespace hlocts::reference
