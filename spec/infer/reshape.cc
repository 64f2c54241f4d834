// SPDX-License-Identifier: Apache-2.0
// Shape rules of reshape, dynamic-reshape, bitcast, and opcodes that return the operand's shape.
#include "spec/base/int128.h"
#include "spec/infer/rules.h"

namespace hlocts {
namespace {

absl::Status ExpectSameElementCount(absl::string_view rule, const Shape& from, const Shape& to) {
  HLOCTS_RETURN_IF_ERROR(ExpectArray(rule, "the result", to));
  HLOCTS_EXPECT(from.element_type() == to.element_type(), rule,
                absl::StrCat("a result of type ", TypeText(from.element_type())), ShapeText(to));
  bool unknown = from.HasUnboundedDimension() || to.HasUnboundedDimension();
  HLOCTS_EXPECT(unknown || from.ElementCount() == to.ElementCount(), rule,
                absl::StrCat(CountText(from.ElementCount(), "element"), " as in ", ShapeText(from)),
                ShapeText(to));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferReshape(const Instruction& reshape, Signatures&) {
  HLOCTS_RETURN_IF_ERROR(
      ExpectSameElementCount("reshape.9", reshape.operand(0).shape(), reshape.shape()));
  const int64_t inferred = reshape.IntOr(Attr::kInferredDimension, -1);
  HLOCTS_EXPECT(inferred >= -1 && inferred < reshape.shape().rank(), "hlo.inferred_dimension",
                absl::StrCat("-1 or a dimension of ", ShapeText(reshape.shape())),
                absl::StrCat(inferred));
  return reshape.shape().WithoutLayout();
}

absl::StatusOr<Shape> InferDynamicReshape(const Instruction& reshape, Signatures&) {
  constexpr absl::string_view kRule = "hlo.dynamic_reshape";
  const Shape& result = reshape.shape();
  HLOCTS_RETURN_IF_ERROR(ExpectSameElementCount(kRule, reshape.operand(0).shape(), result));
  HLOCTS_EXPECT(reshape.operand_count() == result.rank() + 1, kRule,
                absl::StrCat(result.rank(), " sizes"), absl::StrCat(reshape.operand_count() - 1));
  for (int64_t i = 1; i < reshape.operand_count(); ++i) {
    HLOCTS_RETURN_IF_ERROR(ExpectCompatible(kRule, absl::StrCat("operand ", i),
                                            Shape::Scalar(PrimitiveType::kS32),
                                            reshape.operand(i).shape()));
  }
  return result.WithoutLayout();
}

// bitcast interprets the bytes of its operand as another shape, so its value may depend on layouts.
absl::StatusOr<Shape> InferBitcast(const Instruction& bitcast, Signatures&) {
  const Shape &from = bitcast.operand(0).shape(), &to = bitcast.shape();
  HLOCTS_RETURN_IF_ERROR(ExpectArray("hlo.bitcast", "the result", to));
  Int128 from_bits = Int128{from.ElementCount()} * BitWidth(from.element_type());
  Int128 to_bits = Int128{to.ElementCount()} * BitWidth(to.element_type());
  // Padding of tiles may account for a difference in size; evaluation checks this.
  const bool has_padding =
      from.layout() && to.layout() && !from.layout()->tiles.empty() && !to.layout()->tiles.empty();
  HLOCTS_EXPECT(from_bits == to_bits || has_padding, "hlo.bitcast",
                absl::StrCat("as many bits as ", ShapeText(from)), ShapeText(to));
  return to.WithoutLayout();
}

absl::StatusOr<Shape> InferSameAsOperand(const Instruction& op, Signatures&) {
  return op.operand(0).shape().WithoutLayout();
}

}  // namespace hlocts
