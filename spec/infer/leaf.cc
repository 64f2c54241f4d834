// SPDX-License-Identifier: Apache-2.0
// Shape rules of parameter, constant and iota, whose shape the text states.
#include "spec/infer/rules.h"

namespace hlocts {

absl::StatusOr<Shape> InferParameter(const Instruction& parameter, Signatures&) {
  HLOCTS_EXPECT(parameter.parameter_number() >= 0, "hlo.parameter_number",
                "a parameter number of at least 0", absl::StrCat(parameter.parameter_number()));
  return parameter.shape();
}

absl::StatusOr<Shape> InferConstant(const Instruction& constant, Signatures&) {
  HLOCTS_EXPECT(constant.has_literal(), "hlo.constant", "a literal", "none");
  HLOCTS_RETURN_IF_ERROR(ExpectCompatible("hlo.constant", "the shape of the value",
                                          constant.shape(), constant.literal().shape()));
  return constant.shape();
}

absl::StatusOr<Shape> InferIota(const Instruction& iota, Signatures&) {
  const Shape& shape = iota.shape();
  HLOCTS_EXPECT(shape.element_type() != PrimitiveType::kPred, "iota.5", "a type other than pred",
                "pred");
  HLOCTS_EXPECT(shape.rank() > 0, "iota.9", "at least one dimension", ShapeText(shape));
  HLOCTS_RETURN_IF_ERROR(ExpectDimension("iota.9", "iota_dimension",
                                         iota.IntOr(Attr::kIotaDimension, -1), shape.rank()));
  return shape;
}

absl::StatusOr<Shape> InferTuple(const Instruction& tuple, Signatures&) {
  std::vector<Shape> elements;
  elements.reserve(tuple.operands().size());
  for (const Instruction* operand : tuple.operands()) elements.push_back(operand->shape());
  return Shape::Tuple(std::move(elements));  // tuple.1
}

absl::StatusOr<Shape> InferGetTupleElement(const Instruction& op, Signatures&) {
  const Shape& operand = op.operand(0).shape();
  HLOCTS_EXPECT(operand.IsTuple(), "get_tuple_element.1", "a tuple", ShapeText(operand));
  int64_t index = op.IntOr(Attr::kIndex, -1);
  HLOCTS_RETURN_IF_ERROR(ExpectDimension("get_tuple_element.5", "index", index,
                                         static_cast<int64_t>(operand.tuple_shapes().size())));
  return operand.tuple_shapes()[index].WithoutLayout();
}

}  // namespace hlocts
