// SPDX-License-Identifier: Apache-2.0
// The interface of the interpreter for its evaluators: calling computations, budgets, the world
// outside the device.
#ifndef HLOCTS_REFERENCE_EVAL_CONTEXT_H_
#define HLOCTS_REFERENCE_EVAL_CONTEXT_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "reference/evaluator.h"
#include "reference/scalar_function.h"
#include "spec/base/status.h"
#include "spec/ir/instruction.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts::reference {

class EvalContext {
 public:
  virtual ~EvalContext() = default;

  // The result of the computation on these arguments, one per parameter.
  virtual absl::StatusOr<Literal> Call(const Computation& computation,
                                       std::vector<Literal> arguments) = 0;
  // The computation compiled for application to scalars, once per module. nullptr when it is not
  // straight-line code over scalars: then Call() it per element.
  virtual absl::StatusOr<const ScalarFunction*> Scalar(const Computation& computation) = 0;
  // Takes `steps` loop trips out of the budget; DeadlineExceeded when it is used up.
  virtual absl::Status ChargeSteps(int64_t steps) = 0;
  // ResourceExhausted if a literal of this shape does not fit beside the live ones. To be called
  // before every allocation whose size the input controls.
  virtual absl::Status ReserveMemory(const Shape& shape) = 0;
  // The same for scratch space of `bytes`.
  virtual absl::Status ReserveBytes(int64_t bytes) = 0;

  virtual const EvalOptions& options() const = 0;
  // A counter of this evaluation, starting at 0 and advanced by each call: the stream number of rng
  // and the state of rng-get-and-update-state are functions of it and of options().rng_seed.
  virtual uint64_t NextRngStream() = 0;
  // State of rng-get-and-update-state (128 bits, low word first), seeded from options().rng_seed.
  virtual absl::Span<uint64_t> rng_state() = 0;
};

// Evaluates one instruction on its operands' values. Operands are dense: the interpreter has cut
// arrays with run-time sizes before, and puts the result back into its bounds, except for opcodes
// that HLOCTS_DYNAMIC_EVALUATOR of evaluators.def lists. Operands that are used for the last time
// may have unique storage (Literal::UniqueStorage()), so that moving them out allows working in
// place.
using Evaluator = absl::StatusOr<Literal> (*)(EvalContext& context, const Instruction& instruction,
                                              absl::Span<Literal> operands);

// The row of evaluators.def; nullptr when there is none.
Evaluator EvaluatorOf(Opcode opcode);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_EVAL_CONTEXT_H_
