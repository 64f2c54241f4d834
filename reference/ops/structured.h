// SPDX-License-Identifier: Apache-2.0
// Evaluators of the operations with a structure of their own, by the rows of evaluators.def.
#ifndef HLOCTS_REFERENCE_OPS_STRUCTURED_H_
#define HLOCTS_REFERENCE_OPS_STRUCTURED_H_

#include "reference/eval_context.h"

namespace hlocts::reference {

#define HLOCTS_EVALUATOR(Name, Function)                                                 \
  absl::StatusOr<Literal> Function(EvalContext& context, const Instruction& instruction, \
                                   absl::Span<Literal> operands);
#define HLOCTS_DYNAMIC_EVALUATOR HLOCTS_EVALUATOR
#include "reference/evaluators.def"
#undef HLOCTS_EVALUATOR
#undef HLOCTS_DYNAMIC_EVALUATOR

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_OPS_STRUCTURED_H_
