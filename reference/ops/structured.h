// SPDX-License-Identifier: Apache-2.0
// Declares the evaluators of the operations that are not element-wise, as listed in evaluators.def.
//
// Each file implements one operation or one family that shares a rule. The comment of a function
// begins with the rule and its clause ids, and names the ruling if the documents leave a choice.
// Add, subtract, multiply, divide and square root are rounded once: f64 and f32 by the processor,
// narrower types through f64, whose 53 bits are enough. Functions of f32 and narrower types, and
// sums of dot, convolution, reduce and reduce-window, are computed in f64 and rounded once. A
// computation that is applied update by update (scatter, select-and-scatter, all-reduce) rounds
// each time.
//
// Reading order: families.h, float_arithmetic.cc, ../number_system.h, dot.cc, reduce.cc,
// reduce_window.cc, gather.cc, scatter.cc, sort.cc. Tests compute the same values in another way.
#pragma once

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
