// SPDX-License-Identifier: Apache-2.0
// Runs one operation of the plain evaluator outside its module: on other element types, on element
// numbers instead of data, or with another called computation.
//
// Sets and values thus share one evaluator. It moves element numbers to trace a movement, and sums
// midpoints and magnitudes in f64 to bound a sum.
#pragma once

#include <memory>

#include "absl/types/span.h"
#include "reference/evaluator.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/primitive_type.h"
#include "spec/ir/shape.h"

namespace hlocts::reference {

// Returns a computation that applies the opcode to two scalars of `type`: the body of a reduction.
std::unique_ptr<Computation> ScalarBinary(Opcode opcode, PrimitiveType type);

class OperationRunner {
 public:
  explicit OperationRunner(const EvalOptions& options) : options_(options) {}

  // Runs `instruction` with its attributes on these operands; the result has shape `result`.
  absl::StatusOr<Literal> Run(const Instruction& instruction, const Shape& result,
                              absl::Span<const Literal> operands);
  // Like Run, with another computation for attribute `attr`.
  absl::StatusOr<Literal> RunWith(const Instruction& instruction, const Shape& result,
                                  absl::Span<const Literal> operands, Attr attr,
                                  std::unique_ptr<Computation> computation);
  // Runs the computation itself on these arguments.
  absl::StatusOr<Literal> Call(const Computation& computation, const Shape& result,
                               absl::Span<const Literal> arguments);
  const EvalOptions& options() const { return options_; }

 private:
  EvalOptions options_;
};

}  // namespace hlocts::reference
