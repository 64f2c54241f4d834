// SPDX-License-Identifier: Apache-2.0
#include "spec/builder/builder.h"

namespace hlocts {

#define HLOCTS_BUILDER_UNARY(Name, opcode) \
  Value Builder::Name(Value operand) { return Emit(Opcode::opcode, {operand}); }
#define HLOCTS_BUILDER_BINARY(Name, opcode)                               \
  Value Builder::Name(Value lhs, Value rhs, Sizes broadcast_dimensions) { \
    return Binary(#Name, Opcode::opcode, lhs, rhs, broadcast_dimensions); \
  }
#define HLOCTS_BUILDER_COMPARE(Name, direction, type)                     \
  Value Builder::Name(Value lhs, Value rhs, Sizes broadcast_dimensions) { \
    return Compare(lhs, rhs, direction, type, broadcast_dimensions);      \
  }
#include "spec/builder/elementwise.def"
#undef HLOCTS_BUILDER_UNARY
#undef HLOCTS_BUILDER_BINARY
#undef HLOCTS_BUILDER_COMPARE

Value Builder::Compare(Value lhs, Value rhs, absl::string_view direction, absl::string_view type,
                       Sizes broadcast_dimensions) {
  Attributes attributes = {{Attr::kDirection, Word{std::string(direction)}}};
  // The natural order of integers is total; only floats have a different total order (ruling 0059).
  bool stated =
      !type.empty() && lhs.ok() && (type != "TOTALORDER" || IsFloat(lhs.shape().element_type()));
  if (stated) attributes.push_back({Attr::kType, Word{std::string(type)}});
  return Binary("Compare", Opcode::kCompare, lhs, rhs, broadcast_dimensions, std::move(attributes));
}

// Uses separate statements, because C++ does not specify the evaluation order of call arguments.
Value Builder::Conj(Value operand) {
  const Value real = Real(operand);
  return Complex(real, Neg(Imag(operand)));
}

Value Builder::Square(Value operand) { return Mul(operand, operand); }

Value Builder::Clamp(Value min, Value operand, Value max) {
  return Emit(Opcode::kClamp, {min, operand, max});
}

Value Builder::Select(Value pred, Value on_true, Value on_false) {
  if (!Usable({pred, on_true, on_false})) return {};
  if (!on_true.shape().IsTuple()) return Emit(Opcode::kSelect, {pred, on_true, on_false});
  // select.14 to .16: a scalar predicate selects between tuples, element by element (ruling 0080).
  if (!pred.shape().IsScalar()) {
    return FailRule("Select", "select.15", "a scalar pred for tuples",
                    pred.shape().ToString(false));
  }
  if (!on_true.shape().CompatibleWith(on_false.shape())) {
    return FailRule("Select", "select.16", on_true.shape().ToString(false),
                    on_false.shape().ToString(false));
  }
  std::vector<Value> elements;
  for (size_t i = 0; i < on_true.shape().tuple_shapes().size(); ++i) {
    elements.push_back(Select(pred, GetTupleElement(on_true, i), GetTupleElement(on_false, i)));
  }
  return Tuple(elements);
}

Value Builder::ConvertElementType(Value operand, PrimitiveType new_element_type) {
  if (!Usable({operand})) return {};
  return Emit(Opcode::kConvert, {operand}, {}, operand.shape().WithElementType(new_element_type));
}

Value Builder::BitcastConvertType(Value operand, PrimitiveType new_element_type) {
  // Derives the dimensions, because the caller states only the element type.
  if (!Usable({operand})) return {};
  int64_t from = BitWidth(operand.shape().element_type()), to = BitWidth(new_element_type);
  std::vector<int64_t> sizes = operand.shape().dimensions();
  if (to > 0 && from > to) sizes.push_back(from / to);
  if (from < to && !sizes.empty()) sizes.pop_back();
  return Emit(Opcode::kBitcastConvert, {operand}, {}, Shape(new_element_type, sizes));
}

Value Builder::ReducePrecision(Value operand, int64_t exponent_bits, int64_t mantissa_bits) {
  return Emit(Opcode::kReducePrecision, {operand},
              {{Attr::kExponentBits, exponent_bits}, {Attr::kMantissaBits, mantissa_bits}});
}

}  // namespace hlocts
