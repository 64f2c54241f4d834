// SPDX-License-Identifier: Apache-2.0
// Shape rules of element-wise operations. The opcodes require equal shapes; clients lower the
// implicit broadcasting of the document "Broadcasting" to broadcasts (ruling 0067).
#include "spec/infer/rules.h"
#include "spec/ir/comparison_type.h"
#include "spec/ir/opcode.h"

namespace hlocts {
namespace {

absl::Status ExpectSameShapes(absl::string_view type_rule, absl::string_view shape_rule,
                              const Shape& lhs, const Shape& rhs) {
  HLOCTS_RETURN_IF_ERROR(ExpectArray(type_rule, "operand 1", rhs));
  HLOCTS_EXPECT(lhs.element_type() == rhs.element_type(), type_rule,
                absl::StrCat("operands of one type, ", TypeText(lhs.element_type())),
                TypeText(rhs.element_type()));
  HLOCTS_EXPECT(CompatibleDimensions(lhs, rhs), shape_rule,
                absl::StrCat("operands of one shape, ", ShapeText(lhs)), ShapeText(rhs));
  return absl::OkStatus();
}

// Adds the dynamic flags of `other`: dynamic dimensions of an operand are dynamic in the result.
Shape WithDynamicDimensionsOf(Shape shape, const Shape& other) {
  for (int64_t d = 0; d < other.rank() && d < shape.rank(); ++d) {
    if (other.is_dynamic_dimension(d)) shape.set_dynamic_dimension(d, true);
  }
  return shape.WithoutLayout();
}

}  // namespace

absl::StatusOr<Shape> InferUnary(const Instruction& op, Signatures&) {
  return op.operand(0).shape().WithoutLayout();  // elementwise_unary.42
}

absl::StatusOr<Shape> InferComponent(const Instruction& op, Signatures&) {
  const Shape& shape = op.operand(0).shape();  // elementwise_unary.2, .12, .25
  return shape.WithElementType(ComponentType(shape.element_type())).WithoutLayout();
}

absl::StatusOr<Shape> InferIsFinite(const Instruction& op, Signatures&) {
  return op.operand(0).shape().WithElementType(PrimitiveType::kPred).WithoutLayout();
}

absl::StatusOr<Shape> InferBinary(const Instruction& op, Signatures&) {
  const Shape &lhs = op.operand(0).shape(), &rhs = op.operand(1).shape();
  HLOCTS_RETURN_IF_ERROR(
      ExpectSameShapes("elementwise_binary.21", "elementwise_binary.22", lhs, rhs));
  // Subtraction has no meaning for preds (ruling 0079).
  HLOCTS_EXPECT(op.opcode() != Opcode::kSubtract || lhs.element_type() != PrimitiveType::kPred,
                "elementwise_binary.40", "operands of a type other than pred", "pred");
  return WithDynamicDimensionsOf(lhs, rhs);
}

absl::StatusOr<Shape> InferComplex(const Instruction& op, Signatures&) {
  const Shape &real = op.operand(0).shape(), &imag = op.operand(1).shape();
  HLOCTS_RETURN_IF_ERROR(
      ExpectSameShapes("elementwise_binary.21", "elementwise_binary.22", real, imag));
  PrimitiveType type = ComplexTypeOf(real.element_type());
  HLOCTS_EXPECT(type != PrimitiveType::kInvalid, "elementwise_binary.17",
                "real and imaginary parts of type f32 or f64", TypeText(real.element_type()));
  return WithDynamicDimensionsOf(real, imag).WithElementType(type);
}

absl::StatusOr<Shape> InferCompare(const Instruction& compare, Signatures&) {
  const Shape &lhs = compare.operand(0).shape(), &rhs = compare.operand(1).shape();
  HLOCTS_RETURN_IF_ERROR(
      ExpectSameShapes("elementwise_comparison.24", "elementwise_comparison.25", lhs, rhs));
  PrimitiveType type = lhs.element_type();
  absl::string_view direction = compare.WordOr(Attr::kDirection, "");
  HLOCTS_EXPECT(!IsComplex(type) || direction == "EQ" || direction == "NE",
                "elementwise_comparison.6", "direction EQ or NE for complex operands", direction);
  // The attribute repeats what the element type implies, except for the total order of floats.
  absl::string_view natural = NaturalComparisonType(type);
  absl::string_view stated = compare.WordOr(Attr::kType, natural);
  bool total_order = stated == "TOTALORDER" && IsFloat(type);
  HLOCTS_EXPECT(stated == natural || total_order, "elementwise_comparison.23",
                absl::StrCat("comparison type ", natural, " for ", TypeText(type)), stated);
  return WithDynamicDimensionsOf(lhs, rhs).WithElementType(PrimitiveType::kPred);
}

absl::StatusOr<Shape> InferClamp(const Instruction& clamp, Signatures&) {
  const Shape& operand = clamp.operand(1).shape();
  HLOCTS_RETURN_IF_ERROR(ExpectArray("clamp.4", "operand 1", operand));
  for (int64_t bound : {0, 2}) {
    const Shape& shape = clamp.operand(bound).shape();
    HLOCTS_EXPECT(
        shape.element_type() == operand.element_type(), bound == 0 ? "clamp.3" : "clamp.5",
        absl::StrCat("a bound of type ", TypeText(operand.element_type())), ShapeText(shape));
    HLOCTS_EXPECT(shape.IsScalar() || CompatibleDimensions(shape, operand), "clamp.10",
                  absl::StrCat("a bound of shape ", ShapeText(operand), " or a scalar"),
                  ShapeText(shape));
  }
  return operand.WithoutLayout();
}

absl::StatusOr<Shape> InferSelect(const Instruction& select, Signatures&) {
  const Shape& pred = select.operand(0).shape();
  const Shape &on_true = select.operand(1).shape(), &on_false = select.operand(2).shape();
  HLOCTS_RETURN_IF_ERROR(ExpectArray("select.4", "on_true (ruling 0080)", on_true));
  HLOCTS_RETURN_IF_ERROR(ExpectSameShapes("select.5", "select.6", on_true, on_false));
  HLOCTS_EXPECT(pred.IsScalar() || CompatibleDimensions(pred, on_true), "select.8",
                absl::StrCat("a scalar or dimensions ", ListText(on_true.dimensions())),
                ShapeText(pred));
  return WithDynamicDimensionsOf(on_true, on_false);
}

absl::StatusOr<Shape> InferConvert(const Instruction& convert, Signatures&) {
  const Shape &from = convert.operand(0).shape(), &to = convert.shape();
  HLOCTS_RETURN_IF_ERROR(ExpectArray("convert_element_type.6", "the result", to));
  HLOCTS_EXPECT(CompatibleDimensions(from, to), "convert_element_type.2",
                absl::StrCat("a result of dimensions ", ListText(from.dimensions())),
                ShapeText(to));
  return from.WithElementType(to.element_type()).WithoutLayout();
}

absl::StatusOr<Shape> InferBitcastConvert(const Instruction& convert, Signatures&) {
  const Shape &from = convert.operand(0).shape(), &to = convert.shape();
  HLOCTS_RETURN_IF_ERROR(ExpectArray("bitcast_convert_type.10", "the result", to));
  PrimitiveType old_type = from.element_type(), new_type = to.element_type();
  int64_t from_bits = BitWidth(old_type), to_bits = BitWidth(new_type);
  // Complex elements are not split (ruling 0038).
  HLOCTS_EXPECT(IsComplex(old_type) == IsComplex(new_type) || from_bits == to_bits,
                "bitcast_convert_type.2", "two complex types, two real types or equal widths",
                absl::StrCat(TypeText(old_type), " to ", TypeText(new_type)));
  Shape result = from.WithElementType(new_type).WithoutLayout();
  if (from_bits == to_bits) return result;
  int64_t large = std::max(from_bits, to_bits), small = std::min(from_bits, to_bits);
  HLOCTS_EXPECT(large % small == 0, "bitcast_convert_type.2", "a width that divides the other",
                absl::StrCat(from_bits, " and ", to_bits, " bits"));
  int64_t ratio = large / small;
  if (from_bits > to_bits) {
    AppendSize(result, ratio);  // bitcast_convert_type.13
    return result;
  }
  HLOCTS_EXPECT(from.rank() > 0 && from.dimension(-1) == ratio, "bitcast_convert_type.16",
                absl::StrCat("a last dimension of size ", ratio), ShapeText(from));
  Shape dropped(new_type, {});
  for (int64_t d = 0; d + 1 < from.rank(); ++d) AppendDimension(dropped, from, d);
  return dropped;
}

absl::StatusOr<Shape> InferReducePrecision(const Instruction& op, Signatures&) {
  int64_t exponent_bits = op.IntOr(Attr::kExponentBits, 0);
  int64_t mantissa_bits = op.IntOr(Attr::kMantissaBits, -1);
  HLOCTS_EXPECT(exponent_bits >= 1, "reduce_precision.13", "exponent_bits of at least 1",
                absl::StrCat(exponent_bits));
  HLOCTS_EXPECT(mantissa_bits >= 0, "reduce_precision.14", "mantissa_bits of at least 0",
                absl::StrCat(mantissa_bits));
  return op.operand(0).shape().WithoutLayout();
}

absl::StatusOr<Shape> InferStochasticConvert(const Instruction& op, Signatures&) {
  const Shape &from = op.operand(0).shape(), &random = op.operand(1).shape(), &to = op.shape();
  HLOCTS_EXPECT(IsUnsigned(random.element_type()) &&
                    BitWidth(random.element_type()) == BitWidth(from.element_type()) &&
                    CompatibleDimensions(from, random),
                "hlo.stochastic_convert",
                absl::StrCat("random bits of the width and dimensions of ", ShapeText(from)),
                ShapeText(random));
  HLOCTS_EXPECT(IsFloat(to.element_type()) || IsSigned(to.element_type()), "hlo.stochastic_convert",
                "a result of signed integer or float type", ShapeText(to));
  return from.WithElementType(to.element_type()).WithoutLayout();
}

}  // namespace hlocts
