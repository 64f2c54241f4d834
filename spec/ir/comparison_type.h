// SPDX-License-Identifier: Apache-2.0
// The type attribute of a comparison. XLA before jaxlib 0.12.0 prints it as a word. Later releases
// print the order instead (`order=TOTAL`), and nothing if the order follows from the operands.
#pragma once

#include "absl/strings/string_view.h"
#include "spec/ir/primitive_type.h"

namespace hlocts {

// Returns the comparison type that operands of type `operand` have if the text states none.
inline absl::string_view NaturalComparisonType(PrimitiveType operand) {
  if (IsFloat(operand) || IsComplex(operand)) return "FLOAT";
  return IsSigned(operand) ? "SIGNED" : "UNSIGNED";
}

// Returns the comparison type of a total or a partial order. Integers have only the total order.
inline absl::string_view ComparisonTypeOfOrder(bool total, PrimitiveType operand) {
  if (!total) return "FLOAT";
  return IsFloat(operand) || IsComplex(operand) ? "TOTALORDER" : NaturalComparisonType(operand);
}

}  // namespace hlocts
