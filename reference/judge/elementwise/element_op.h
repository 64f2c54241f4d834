// SPDX-License-Identifier: Apache-2.0
// An element-wise instruction made ready for its elements: by set arithmetic one at a time, or, for
// the usual operations on ordinary numbers, by columns.
//
// elementwise_sets.cc selects the fastest path that applies: points (elementwise_points.cc),
// columns of intervals (column_ops.cc, column_kernels.h), finite unions (choice_sets.cc), or one
// element at a time. columns_test.cc compares each fast path with the set arithmetic of spec/judge.
#ifndef HLOCTS_REFERENCE_JUDGE_ELEMENTWISE_ELEMENT_OP_H_
#define HLOCTS_REFERENCE_JUDGE_ELEMENTWISE_ELEMENT_OP_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "spec/judge/integer_sets.h"

namespace hlocts::reference {

struct ElementOp {
  const Instruction* instruction;
  Opcode opcode;
  PrimitiveType operand_type, result_type;
  SetContext context;
  IntegerContext integers;
  bool total_order = false;
  absl::string_view direction;
  int exponent_bits = 0, mantissa_bits = 0;
  bool saturate = false;
  HullUse hull = kHullAny;
  bool equal_operands = false;  // both are one value (RULES 30)
};

// Element i of a result that is not complex, of operands that are not complex.
AcceptanceSet RealElement(const ElementOp& op, absl::Span<const SetArray* const> operands,
                          int64_t i);
// Drops an unread pre-rounding interval of a product or quotient: points then stay points.
void DropUnusedHull(AcceptanceSet& set, HullUse hull);

// Exact operands: the plain evaluator's result, patched where a rule leaves more than one value.
// nullopt: not that kind of operation.
absl::StatusOr<std::optional<SetValue>> ElementwisePoints(SetInterpreter& interpreter,
                                                          const ElementOp& op, const Shape& shape,
                                                          absl::Span<const SetValue> operands,
                                                          absl::Span<const SetArray* const> arrays);

// The whole result by columns; nullopt where the operation has no loop over them or too few
// elements are ordinary. Equal to RealElement's sets, element by element, on ordinary operands.
std::optional<SetArray> ElementwiseColumns(const ElementOp& op, const Shape& shape,
                                           absl::Span<const SetArray* const> operands);

// Both arms' choices of the element; empty if they are too many.
std::vector<AcceptanceSet> EitherArm(const SetArray& on_true, const SetArray& on_false, int64_t at);
bool AnyChoices(absl::Span<const SetArray* const> operands);
bool FewJumps(absl::Span<const SetArray* const> operands);
// If elements of the operands are one of a few sets, or (`jumps`) one of the few values of a jump
// (RULES 31), so are elements of the result: their sets are the operation's results on each.
void MapChoices(const ElementOp& op, absl::Span<const SetArray* const> operands, bool jumps,
                SetArray& result);

// Elements whose plain result is not the whole set: subnormal operands and results, zeros of free
// sign where the sign matters, conversions out of range or rounded twice.
std::vector<int64_t> OpenPoints(const ElementOp& op, absl::Span<const SetArray* const> operands,
                                const Literal& result, bool& has_nan);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_ELEMENTWISE_ELEMENT_OP_H_
