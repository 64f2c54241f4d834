// SPDX-License-Identifier: Apache-2.0
// The kind of a comparison. Before the XLA of jaxlib 0.12.0 it is a word of its own; later releases
// print the order instead (`order=TOTAL`), and nothing if it follows from the operands.
#ifndef HLOCTS_SPEC_IR_COMPARISON_TYPE_H_
#define HLOCTS_SPEC_IR_COMPARISON_TYPE_H_

#include "absl/strings/string_view.h"
#include "spec/ir/primitive_type.h"

namespace hlocts {

// The comparison type for operands of that type if none is stated.
inline absl::string_view NaturalComparisonType(PrimitiveType operand) {
  if (IsFloat(operand) || IsComplex(operand)) return "FLOAT";
  return IsSigned(operand) ? "SIGNED" : "UNSIGNED";
}

// The comparison type of a total or a partial order. Integers have only the total order.
inline absl::string_view ComparisonTypeOfOrder(bool total, PrimitiveType operand) {
  if (!total) return "FLOAT";
  return IsFloat(operand) || IsComplex(operand) ? "TOTALORDER" : NaturalComparisonType(operand);
}

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_COMPARISON_TYPE_H_
