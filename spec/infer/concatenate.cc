// SPDX-License-Identifier: Apache-2.0
#include "spec/base/int128.h"
#include "spec/infer/rules.h"

namespace hlocts {
namespace {

absl::Status CheckOperand(const Shape& first, const Shape& other, int64_t dimension) {
  HLOCTS_EXPECT(first.element_type() == other.element_type(), "concatenate.5",
                absl::StrCat("operands of type ", TypeText(first.element_type())),
                ShapeText(other));
  HLOCTS_EXPECT(first.rank() == other.rank(), "concatenate.2",
                absl::StrCat("operands of ", first.rank(), " dimensions"), ShapeText(other));
  for (int64_t d = 0; d < first.rank(); ++d) {
    HLOCTS_EXPECT(d == dimension || CompatibleSize(first.dimension(d), other.dimension(d)),
                  "concatenate.9", absl::StrCat("size ", first.dimension(d), " in dimension ", d),
                  ShapeText(other));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferConcatenate(const Instruction& concatenate, Signatures&) {
  const Shape& first = concatenate.operand(0).shape();
  const std::vector<int64_t>& dimensions = concatenate.IntList(Attr::kDimensions);
  HLOCTS_EXPECT(dimensions.size() == 1, "concatenate.8", "one dimension", ListText(dimensions));
  HLOCTS_EXPECT(first.rank() > 0, "concatenate.10", "operands with dimensions", ShapeText(first));
  int64_t dimension = dimensions[0];
  HLOCTS_RETURN_IF_ERROR(ExpectDimension("concatenate.7", "dimension", dimension, first.rank()));
  Shape result = first.WithoutLayout();
  Int128 total = 0;
  bool is_dynamic = false, unknown = false;
  for (const Instruction* operand : concatenate.operands()) {
    const Shape& shape = operand->shape();
    HLOCTS_RETURN_IF_ERROR(CheckOperand(first, shape, dimension));
    total += shape.dimension(dimension);
    is_dynamic = is_dynamic || shape.is_dynamic_dimension(dimension);
    unknown = unknown || shape.dimension(dimension) == kUnboundedSize;
  }
  int64_t size = unknown             ? kUnboundedSize
                 : total > INT64_MAX ? INT64_MAX
                                     : static_cast<int64_t>(total);
  result.set_dimension(dimension, size);
  if (is_dynamic) result.set_dynamic_dimension(dimension, true);
  return result;
}

}  // namespace hlocts
