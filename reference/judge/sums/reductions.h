// SPDX-License-Identifier: Apache-2.0
// Reductions by a recognised computation, on one operand; argmin/argmax; enumeration of the rest.
#ifndef HLOCTS_REFERENCE_JUDGE_SUMS_REDUCTIONS_H_
#define HLOCTS_REFERENCE_JUDGE_SUMS_REDUCTIONS_H_

#include <vector>

#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/sums/reducers.h"
#include "reference/judge/sums/sums.h"
#include "reference/recognized.h"

namespace hlocts::reference {

// reduce or reduce-window of one operand with its init.
struct ReductionOperands {
  SetInterpreter& interpreter;
  const Instruction& instruction;
  Shape shape;
  const SetArray& operand;
  const SetArray& init;
};
absl::StatusOr<SetValue> ReduceRecognized(const ReductionOperands& reduction,
                                          RecognizedReducer reducer);

// Element i of the operand combined with updates[i] in any order: scatter, select-and-scatter,
// all-reduce.
struct CombineOperands {
  SetInterpreter& interpreter;
  const Instruction& instruction;
  Shape shape;
  const SetArray& operand;
  const SetArray& source;
  const std::vector<std::vector<int64_t>>& updates;
};
absl::StatusOr<SetArray> CombineRecognized(const CombineOperands& combine,
                                           RecognizedReducer reducer);
// The same for float addition where each window of maybe[i] adds its source to element i or not.
SetArray AddUncertainUpdates(const CombineOperands& combine,
                             const std::vector<std::vector<int64_t>>& maybe);
// The same for the other computations, on `certain`, the result of the certain updates.
SetArray JoinUncertainUpdates(const CombineOperands& combine, RecognizedReducer reducer,
                              SetArray certain, const std::vector<std::vector<int64_t>>& maybe);

// Reduction of complex operands by multiplication.
absl::StatusOr<SetArray> ComplexProducts(const ReductionOperands& reduction,
                                         const SetContext& context);

// A certain zero.
bool IsZero(const AcceptanceSet& set);

// One element from its terms, in any order and any tree.
AcceptanceSet CombineTerms(SetInterpreter& interpreter, const SetContext& context,
                           PrimitiveType type, RecognizedReducer reducer,
                           absl::Span<const AcceptanceSet> terms);

absl::StatusOr<SetValue> ReduceArg(SetInterpreter& interpreter, const Instruction& instruction,
                                   const Shape& shape, absl::Span<const SetValue> operands,
                                   const ArgReducer& reducer);
// At most five terms: every order, every tree, init inserted anywhere. More: the terms that may be
// left where the computation selects one of two (GreatestTerms), otherwise the freedom
// reduce-order.
absl::StatusOr<SetValue> ReduceByEnumeration(SetInterpreter& interpreter,
                                             const Instruction& instruction, const Shape& shape,
                                             absl::Span<const SetValue> operands);
absl::StatusOr<SetValue> CombineByEnumeration(SetInterpreter& interpreter,
                                              const Instruction& instruction, const Shape& shape,
                                              absl::Span<const SetValue> operands,
                                              const std::vector<std::vector<int64_t>>& updates);

// For each of `lanes` reductions of `count` terms, which are consecutive in the pool (an array or a
// tuple of arrays): the terms that some order and tree may leave. Empty: the computation is no
// selection that orders them.
absl::StatusOr<std::vector<std::vector<int64_t>>> GreatestTerms(SetInterpreter& interpreter,
                                                                const Computation& body,
                                                                const SetValue& pool, int64_t lanes,
                                                                int64_t count);

// The elements `at` of an array, or of each array of a tuple, as lanes.
SetValue LanesOf(const SetValue& value, const std::vector<int64_t>& at);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_SUMS_REDUCTIONS_H_
