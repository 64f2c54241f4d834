// SPDX-License-Identifier: Apache-2.0
// Shape rules of sort and topk.
#include "spec/infer/rules.h"

namespace hlocts {

absl::StatusOr<Shape> InferSort(const Instruction& sort, Signatures& signatures) {
  const Shape& first = sort.operand(0).shape();
  std::vector<Shape> parameters, results;
  for (const Instruction* operand : sort.operands()) {
    const Shape& shape = operand->shape();
    HLOCTS_RETURN_IF_ERROR(ExpectArray("sort.2", "operands", shape));
    HLOCTS_EXPECT(CompatibleDimensions(first, shape), "sort.13",
                  absl::StrCat("operands of dimensions ", ListText(first.dimensions())),
                  ShapeText(shape));
    parameters.insert(parameters.end(), 2, Shape::Scalar(shape.element_type()));
    results.push_back(shape.WithoutLayout());
  }
  const std::vector<int64_t>& dimensions = sort.IntList(Attr::kDimensions);
  HLOCTS_EXPECT(dimensions.size() == 1, "sort.4", "one dimension", ListText(dimensions));
  HLOCTS_RETURN_IF_ERROR(ExpectDimension("sort.4", "dimension", dimensions[0], first.rank()));
  HLOCTS_ASSIGN_OR_RETURN(const Computation* comparator, Called(sort, Attr::kToApply));
  HLOCTS_RETURN_IF_ERROR(ExpectSignature("sort.16", *comparator, parameters,
                                         Shape::Scalar(PrimitiveType::kPred), signatures));
  return OneOrTuple(std::move(results));
}

absl::StatusOr<Shape> InferTopk(const Instruction& topk, Signatures&) {
  const Shape& operand = topk.operand(0).shape();
  int64_t k = topk.IntOr(Attr::kK, -1);
  HLOCTS_EXPECT(operand.rank() >= 1, "top_k.3", "at least one dimension", ShapeText(operand));
  HLOCTS_EXPECT(k >= 0, "top_k.5", "k of at least 0", absl::StrCat(k));
  HLOCTS_EXPECT(operand.dimension(-1) == kUnboundedSize || k <= operand.dimension(-1), "top_k.4",
                absl::StrCat("k of at most ", operand.dimension(-1)), absl::StrCat(k));
  Shape values = operand.WithoutLayout();
  values.set_dynamic_dimension(-1, false);
  values.set_dimension(-1, k);
  return Shape::Tuple({values, values.WithElementType(PrimitiveType::kS32)});  // top_k.10, 0047
}

}  // namespace hlocts
