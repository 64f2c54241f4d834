// SPDX-License-Identifier: Apache-2.0
// Shape rules of get-dimension-size and set-dimension-size (ruling 0064).
#include "spec/infer/rules.h"

namespace hlocts {
namespace {

absl::StatusOr<int64_t> SizedDimension(const Instruction& op, absl::string_view rule) {
  const std::vector<int64_t>& dimensions = op.IntList(Attr::kDimensions);
  HLOCTS_EXPECT(dimensions.size() == 1, rule, "one dimension", ListText(dimensions));
  HLOCTS_RETURN_IF_ERROR(
      ExpectDimension(rule, "dimension", dimensions[0], op.operand(0).shape().rank()));
  return dimensions[0];
}

}  // namespace

absl::StatusOr<Shape> InferGetDimensionSize(const Instruction& op, Signatures&) {
  HLOCTS_RETURN_IF_ERROR(SizedDimension(op, "get_dimension_size.5").status());
  return Shape::Scalar(PrimitiveType::kS32);
}

absl::StatusOr<Shape> InferSetDimensionSize(const Instruction& op, Signatures&) {
  HLOCTS_ASSIGN_OR_RETURN(int64_t dimension, SizedDimension(op, "set_dimension_size.6"));
  HLOCTS_RETURN_IF_ERROR(ExpectCompatible(
      "set_dimension_size.5", "size", Shape::Scalar(PrimitiveType::kS32), op.operand(1).shape()));
  Shape result = op.operand(0).shape().WithoutLayout();
  result.set_dynamic_dimension(dimension, true);
  return result;
}

}  // namespace hlocts
