// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "spec/builder/builder.h"
#include "spec/ir/module.h"

namespace hlocts {
namespace {

// Builds values without operands, and random numbers.

struct FillScalar {
  Literal& literal;
  double value;
  template <typename Type>
  int operator()(Type) const {
    using T = NativeOf<Type::value>;
    if constexpr (Type::value == PrimitiveType::kC64 || Type::value == PrimitiveType::kC128) {
      literal.mutable_data<T>()[0] = T(static_cast<typename T::value_type>(value));
    } else if constexpr (Type::value == PrimitiveType::kPred) {
      literal.mutable_data<T>()[0] = value != 0;
    } else if constexpr (IsNarrowInt<T>::value) {
      literal.mutable_data<T>()[0] = T(static_cast<int64_t>(value));
    } else {
      literal.mutable_data<T>()[0] = T(value);
    }
    return 0;
  }
};

// Returns true if `value` converts to `type` without undefined behaviour.
bool Fits(PrimitiveType type, double value) {
  if (!IsInteger(type)) return true;
  int bits = BitWidth(type) - (IsSigned(type) ? 1 : 0);
  double limit = std::ldexp(1.0, bits);
  return value > (IsSigned(type) ? -limit - 1 : -1) && value < limit;
}

}  // namespace

Value Builder::Parameter(int64_t number, Shape shape, absl::string_view name) {
  if (!status_.ok()) return {};
  if (absl::Status status = VerifyShape(shape); !status.ok()) return Fail(status);
  auto owned = std::make_unique<Instruction>(UniqueName(name.empty() ? "parameter" : name),
                                             Opcode::kParameter, shape.WithDefaultLayout());
  owned->set_parameter_number(number);
  return {current_->Add(std::move(owned))};
}

Value Builder::Constant(Literal literal) {
  if (!status_.ok()) return {};
  auto owned = std::make_unique<Instruction>(UniqueName("constant"), Opcode::kConstant,
                                             literal.shape().WithDefaultLayout());
  owned->set_literal(std::move(literal));
  return {current_->Add(std::move(owned))};
}

Value Builder::Scalar(PrimitiveType type, double value) {
  if (!status_.ok()) return {};
  if (!IsArrayType(type) || !Fits(type, value)) {
    return FailRule("Scalar", "hlo.constant", "a value of the element type",
                    absl::StrCat(value, " for ", PrimitiveTypeName(type)));
  }
  Literal literal(Shape::Scalar(type));
  VisitArrayType(type, FillScalar{literal, value});
  return Constant(std::move(literal));
}

Value Builder::Iota(const Shape& shape, int64_t iota_dimension) {
  return Emit(Opcode::kIota, {}, {{Attr::kIotaDimension, iota_dimension}}, shape);
}

Value Builder::ReplicaId() { return Emit(Opcode::kReplicaId, {}); }

Value Builder::PartitionId() { return Emit(Opcode::kPartitionId, {}); }

Value Builder::RngUniform(Value a, Value b, const Shape& shape) {
  return Emit(Opcode::kRng, {a, b}, {{Attr::kDistribution, Word{"rng_uniform"}}}, shape);
}

Value Builder::RngNormal(Value mu, Value sigma, const Shape& shape) {
  return Emit(Opcode::kRng, {mu, sigma}, {{Attr::kDistribution, Word{"rng_normal"}}}, shape);
}

Value Builder::RngBitGenerator(absl::string_view algorithm, Value initial_state,
                               const Shape& shape) {
  if (!Usable({initial_state})) return {};
  return Emit(Opcode::kRngBitGenerator, {initial_state},
              {{Attr::kAlgorithm, Word{std::string(algorithm)}}},
              Shape::Tuple({initial_state.shape(), shape}));
}

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
