// SPDX-License-Identifier: Apache-2.0
// Declares reductions by recognised computations, argmin, argmax, and enumeration for the rest.
#pragma once

#include <vector>

#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/sums/reducers.h"
#include "reference/judge/sums/sums.h"
#include "reference/recognized.h"

namespace hlocts::reference {

// The operands of a reduce or reduce-window of one array.
struct ReductionOperands {
  SetInterpreter& interpreter;
  const Instruction& instruction;
  Shape shape;
  const SetArray& operand;
  const SetArray& init;
};
absl::StatusOr<SetValue> ReduceRecognized(const ReductionOperands& reduction,
                                          RecognizedReducer reducer);

// The operands of operations that combine element i with updates[i] in any order, e.g. scatter.
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
// Like CombineRecognized for float addition; each update of maybe[i] may be added to element i.
SetArray AddUncertainUpdates(const CombineOperands& combine,
                             const std::vector<std::vector<int64_t>>& maybe);
// Like AddUncertainUpdates for other computations. `certain` is the result of the certain updates.
SetArray JoinUncertainUpdates(const CombineOperands& combine, RecognizedReducer reducer,
                              SetArray certain, const std::vector<std::vector<int64_t>>& maybe);

absl::StatusOr<SetArray> ComplexProducts(const ReductionOperands& reduction,
                                         const SetContext& context);

bool IsZero(const AcceptanceSet& set);

// Combines terms to one element, in any order and any tree.
AcceptanceSet CombineTerms(SetInterpreter& interpreter, const SetContext& context,
                           PrimitiveType type, RecognizedReducer reducer,
                           absl::Span<const AcceptanceSet> terms);

absl::StatusOr<SetValue> ReduceArg(SetInterpreter& interpreter, const Instruction& instruction,
                                   const Shape& shape, absl::Span<const SetValue> operands,
                                   const ArgReducer& reducer);
// Enumerates every order and every tree of at most five terms, with init inserted anywhere. If
// there are more terms, a computation that selects one of its arguments may return any of the
// greatest terms (GreatestTerms); other results are unspecified (freedom reduce-order).
absl::StatusOr<SetValue> ReduceByEnumeration(SetInterpreter& interpreter,
                                             const Instruction& instruction, const Shape& shape,
                                             absl::Span<const SetValue> operands);
absl::StatusOr<SetValue> CombineByEnumeration(SetInterpreter& interpreter,
                                              const Instruction& instruction, const Shape& shape,
                                              absl::Span<const SetValue> operands,
                                              const std::vector<std::vector<int64_t>>& updates);

// Returns for each of `lanes` reductions the terms that some order and tree may return. A reduction
// has `count` consecutive terms of `pool` (an array or a tuple of arrays). Its list is empty if the
// computation is not a selection that orders the terms, or if there are too many terms.
absl::StatusOr<std::vector<std::vector<int64_t>>> GreatestTerms(SetInterpreter& interpreter,
                                                                const Computation& body,
                                                                const SetValue& pool, int64_t lanes,
                                                                int64_t count);

// Returns the elements `at` of an array, or of each array of a tuple, as lanes.
SetValue LanesOf(const SetValue& value, const std::vector<int64_t>& at);

}  // namespace hlocts::reference
