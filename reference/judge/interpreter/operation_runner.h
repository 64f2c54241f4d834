// SPDX-License-Identifier: Apache-2.0
// Runs one operation of the plain evaluator apart from its module: on other element types, on index
// numbers instead of data, or with another called computation.
//
// This is how sets and values share one evaluator: a movement is traced by moving element numbers,
// a sum is bounded by summing middles and magnitudes in f64, all by the evaluator of the operation.
#ifndef HLOCTS_REFERENCE_JUDGE_INTERPRETER_OPERATION_RUNNER_H_
#define HLOCTS_REFERENCE_JUDGE_INTERPRETER_OPERATION_RUNNER_H_

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "reference/evaluator.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/primitive_type.h"
#include "spec/ir/shape.h"

namespace hlocts::reference {

// A computation of two scalars of `type` with that opcode: the body of a reduction.
std::unique_ptr<Computation> ScalarBinary(Opcode opcode, PrimitiveType type);

class OperationRunner {
 public:
  explicit OperationRunner(const EvalOptions& options) : options_(options) {}

  // Runs `instruction` with these operands, the same attributes and a result of shape `result`.
  absl::StatusOr<Literal> Run(const Instruction& instruction, const Shape& result,
                              absl::Span<const Literal> operands);
  // The same with the computation of attribute `attr` replaced.
  absl::StatusOr<Literal> RunWith(const Instruction& instruction, const Shape& result,
                                  absl::Span<const Literal> operands, Attr attr,
                                  std::unique_ptr<Computation> computation);
  // The computation itself on these arguments.
  absl::StatusOr<Literal> Call(const Computation& computation, const Shape& result,
                               absl::Span<const Literal> arguments);
  const EvalOptions& options() const { return options_; }

 private:
  EvalOptions options_;
};

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_INTERPRETER_OPERATION_RUNNER_H_
