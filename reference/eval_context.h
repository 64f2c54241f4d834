// SPDX-License-Identifier: Apache-2.0
// Declares what the interpreter provides to evaluators: calls of computations, budgets, and the
// world outside the device.
#pragma once

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

  // Returns the result of the computation for `arguments`, one per parameter.
  virtual absl::StatusOr<Literal> Call(const Computation& computation,
                                       std::vector<Literal> arguments) = 0;
  // Returns the computation compiled for application to scalars, once per module. Returns nullptr
  // if it is not straight-line code over scalars; use Call() for each element then.
  virtual absl::StatusOr<const ScalarFunction*> Scalar(const Computation& computation) = 0;
  // Subtracts `steps` loop trips from the budget. Returns DeadlineExceeded if it is used up.
  virtual absl::Status ChargeSteps(int64_t steps) = 0;
  // Returns ResourceExhausted if a literal of this shape and the live literals exceed the budget.
  // Must be called before every allocation whose size the input controls.
  virtual absl::Status ReserveMemory(const Shape& shape) = 0;
  // Like ReserveMemory, for scratch space of `bytes`.
  virtual absl::Status ReserveBytes(int64_t bytes) = 0;

  virtual const EvalOptions& options() const = 0;
  // Returns a counter that increases with each call in this evaluation. It numbers the random
  // sequences of rng, which depend only on it and on options().rng_seed.
  virtual uint64_t NextRngStream() = 0;
  // Returns the 128-bit state of rng-get-and-update-state (low word first), seeded by rng_seed.
  virtual absl::Span<uint64_t> rng_state() = 0;
};

// Evaluates one instruction on its operands' values. Operands are dense: the interpreter first cuts
// arrays with run-time sizes and afterwards puts the result back into its bounds, except for
// opcodes listed as HLOCTS_DYNAMIC_EVALUATOR in evaluators.def. An operand that is used for the
// last time may have unique storage (Literal::UniqueStorage()), so an evaluator may move it out and
// work in place.
using Evaluator = absl::StatusOr<Literal> (*)(EvalContext& context, const Instruction& instruction,
                                              absl::Span<Literal> operands);

// Returns the evaluator that evaluators.def lists, or nullptr.
Evaluator EvaluatorOf(Opcode opcode);

}  // namespace hlocts::reference
