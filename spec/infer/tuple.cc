// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/rules.h"

namespace hlocts {

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
