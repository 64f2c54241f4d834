// SPDX-License-Identifier: Apache-2.0
// The kind of a comparison: a word of its own until the XLA of jaxlib 0.12.0, which writes the
// order instead (`order=TOTAL`), and nothing where it follows from the operands.
#ifndef HLOCTS_SPEC_IR_COMPARISON_TYPE_H_
#define HLOCTS_SPEC_IR_COMPARISON_TYPE_H_

#include "absl/strings/string_view.h"
#include "spec/ir/primitive_type.h"

namespace hlocts {

// Of operands of that type, where nothing is said.
inline absl::string_view NaturalComparisonType(PrimitiveType operand) {
  if (IsFloat(operand) || IsComplex(operand)) return "FLOAT";
  return IsSigned(operand) ? "SIGNED" : "UNSIGNED";
}

// Of a total or a partial order. Integers have the total one by nature, and no other.
inline absl::string_view ComparisonTypeOfOrder(bool total, PrimitiveType operand) {
  if (!total) return "FLOAT";
  return IsFloat(operand) || IsComplex(operand) ? "TOTALORDER" : NaturalComparisonType(operand);
}

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_COMPARISON_TYPE_H_
