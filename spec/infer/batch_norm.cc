// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/rules.h"

namespace hlocts {
namespace {

// Returns the shape of scale, offset, mean and variance: one element for each feature.
absl::StatusOr<Shape> FeatureShape(const Instruction& op, absl::string_view rule) {
  const Shape& operand = op.operand(0).shape();
  int64_t feature = op.IntOr(Attr::kFeatureIndex, -1);
  HLOCTS_RETURN_IF_ERROR(ExpectDimension(rule, "feature_index", feature, operand.rank()));
  return Shape(operand.element_type(), {operand.dimension(feature)});
}

absl::Status ExpectFeatures(const Instruction& op, const Shape& features, int64_t from, int64_t to,
                            absl::string_view clause_file, int64_t first_clause) {
  for (int64_t i = from; i <= to; ++i) {
    std::string rule = absl::StrCat(clause_file, ".", first_clause + i - from);
    HLOCTS_RETURN_IF_ERROR(
        ExpectCompatible(rule, absl::StrCat("operand ", i), features, op.operand(i).shape()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferBatchNormTraining(const Instruction& op, Signatures&) {
  HLOCTS_ASSIGN_OR_RETURN(Shape features, FeatureShape(op, "batch_norm_training.10"));
  HLOCTS_RETURN_IF_ERROR(ExpectFeatures(op, features, 1, 2, "batch_norm_training", 4));
  return Shape::Tuple({op.operand(0).shape().WithoutLayout(), features, features});
}

absl::StatusOr<Shape> InferBatchNormInference(const Instruction& op, Signatures&) {
  HLOCTS_ASSIGN_OR_RETURN(Shape features, FeatureShape(op, "batch_norm_inference.12"));
  HLOCTS_RETURN_IF_ERROR(ExpectFeatures(op, features, 1, 4, "batch_norm_inference", 4));
  return op.operand(0).shape().WithoutLayout();
}

absl::StatusOr<Shape> InferBatchNormGrad(const Instruction& op, Signatures&) {
  HLOCTS_ASSIGN_OR_RETURN(Shape features, FeatureShape(op, "batch_norm_grad.11"));
  HLOCTS_RETURN_IF_ERROR(ExpectFeatures(op, features, 1, 3, "batch_norm_grad", 4));
  HLOCTS_RETURN_IF_ERROR(ExpectCompatible("batch_norm_grad.7", "grad_output", op.operand(0).shape(),
                                          op.operand(4).shape()));
  return Shape::Tuple({op.operand(0).shape().WithoutLayout(), features, features});
}

}  // namespace hlocts
