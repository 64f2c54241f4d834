// SPDX-License-Identifier: Apache-2.0
// Describes an element-wise instruction that is prepared for set arithmetic on one element at a
// time or, for the usual operations on ordinary numbers, on columns.
//
// elementwise_sets.cc selects the fastest path: exact operands (elementwise_points.cc), columns of
// intervals (column_ops.cc, column_kernels.h), finite unions (choice_sets.cc), or one element at a
// time. columns_test.cc compares each path with the set arithmetic of spec/judge.
#pragma once

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
  UnroundedUse hull = kHullAny;
  bool equal_operands = false;  // true if both operands are the same value (lemma 30)
};

// Returns element i of the result. Neither operands nor result are complex.
AcceptanceSet RealElement(const ElementOp& op, absl::Span<const SetArray* const> operands,
                          int64_t i);
// Drops a product's or quotient's unread pre-rounding interval, so that exact elements stay exact.
void DropUnreadPreRounding(AcceptanceSet& set, UnroundedUse hull);

// Computes the result for exact operands by the plain evaluator, except for elements for which a
// rule permits more than one value. Returns nullopt if the operation has no such path.
absl::StatusOr<std::optional<SetValue>> ElementwisePoints(SetInterpreter& interpreter,
                                                          const ElementOp& op, const Shape& shape,
                                                          absl::Span<const SetValue> operands,
                                                          absl::Span<const SetArray* const> arrays);

// Computes the whole result by columns. Returns nullopt if the operation has no loop over columns
// or too few elements are ordinary. RealElement returns the same sets for ordinary operands.
std::optional<SetArray> ElementwiseColumns(const ElementOp& op, const Shape& shape,
                                           absl::Span<const SetArray* const> operands);

// Returns the choices of both operands for the element; empty if there are too many.
std::vector<AcceptanceSet> ChoicesOfBothOperands(const SetArray& on_true, const SetArray& on_false,
                                                 int64_t at);
bool AnyChoices(absl::Span<const SetArray* const> operands);
bool HasFewDiscontinuities(absl::Span<const SetArray* const> operands);
// Applies the operation to each of the few sets that an element of an operand may have (lemma 31),
// or, if `jumps`, to each of the few values of a discontinuity. The result gets one set for each.
void MapChoices(const ElementOp& op, absl::Span<const SetArray* const> operands, bool jumps,
                SetArray& result);

// Adds, to each element that is computed from exact numbers and may be flushed or has an operand
// that may be flushed, alternative sets without the numbers between the readings (lemma 14). Does
// nothing if there are more than a few thousand such elements.
void KeepFlushesApart(const ElementOp& op, absl::Span<const SetArray* const> operands,
                      SetArray& result);

// Narrows a comparison of x with a maximum or minimum of x and other values to a comparison of x
// with itself, for each x that is certainly the maximum or minimum (lemma 30). Without the operands
// that KeepIfCompared (handlers.h) keeps, does nothing.
void CompareWithExtremum(SetInterpreter& interpreter, const ElementOp& op, SetArray& result);

// Returns the elements that may differ from the plain evaluator's result: elements with subnormal
// operands or results, with zeros of unknown sign if the sign matters, and with conversions that
// are out of range or rounded twice.
std::vector<int64_t> OpenPoints(const ElementOp& op, absl::Span<const SetArray* const> operands,
                                const Literal& result, bool& has_nan);

}  // namespace hlocts::reference
