// SPDX-License-Identifier: Apache-2.0
// Builds values without operands, and random numbers.
#include <cmath>

#include "spec/builder/builder.h"
#include "spec/ir/module.h"

namespace hlocts {
namespace {

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

}  // namespace hlocts
