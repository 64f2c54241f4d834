// SPDX-License-Identifier: Apache-2.0
// get-dimension-size, set-dimension-size (ruling 0064).
#include "spec/infer/rules.h"

namespace hlocts {
absl::StatusOr<Shape> InferGetDimensionSize(const Instruction& op, Signatures&) {
  HLOCTS_RETURN_IF_ERROR(OnlyDimension(op, "get_dimension_size.5").status());
  return Shape::Scalar(PrimitiveType::kS32);
}

absl::StatusOr<Shape> InferSetDimensionSize(const Instruction& op, Signatures&) {
  HLOCTS_ASSIGN_OR_RETURN(int64_t dimension, OnlyDimension(op, "set_dimension_size.6"));
  HLOCTS_RETURN_IF_ERROR(ExpectCompatible(
      "set_dimension_size.5", "size", Shape::Scalar(PrimitiveType::kS32), op.operand(1).shape()));
  Shape result = op.operand(0).shape().WithoutLayout();
  result.set_dynamic_dimension(dimension, true);
  return result;
}

}  // namespace hlocts
