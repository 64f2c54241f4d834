// SPDX-License-Identifier: Apache-2.0
#include "reference/number_system.h"

#include "reference/ops/families.h"

namespace hlocts::reference {
namespace {

// Returns true if a value has the same bits in both types, such as integers of the same width.
bool SameBits(PrimitiveType from, PrimitiveType to) {
  return from == to || (IsInteger(from) && IsInteger(to) && BitWidth(from) == BitWidth(to));
}

Literal Converted(const Literal& literal, PrimitiveType to) {
  Shape shape = literal.shape().WithElementType(to);
  if (SameBits(literal.element_type(), to)) return literal.WithShape(shape);
  ElementwiseOp op;
  op.operand_type = literal.element_type(), op.result_type = to;
  Literal result = Literal::Uninitialized(shape);
  const void* from = literal.raw_data();
  ConvertKernel(op.operand_type, to)(op, &from, result.mutable_raw_data(), result.element_count());
  return result;
}

// Returns true if f32 represents all values of `type`, or of its parts if it is complex.
bool FitsF32(PrimitiveType type) {
  const int bits = BitWidth(ComponentType(type));
  return IsInteger(type) ? bits <= 24 : bits <= 32;
}

}  // namespace

PrimitiveType SystemType(PrimitiveType type) {
  if (IsInteger(type)) return BitWidth(type) == 64 ? PrimitiveType::kU64 : PrimitiveType::kU32;
  if (IsFloat(type)) return BitWidth(type) == 64 ? PrimitiveType::kF64 : PrimitiveType::kF32;
  return type;
}

PrimitiveType SumSystem(absl::Span<const PrimitiveType> operands, PrimitiveType result) {
  bool is_complex = IsComplex(result), is_float = IsFloat(result), fits = true, wide = false;
  bool is_pred = result == PrimitiveType::kPred;
  for (PrimitiveType type : operands) {
    is_complex = is_complex || IsComplex(type);
    is_float = is_float || IsFloat(type);
    is_pred = is_pred && type == PrimitiveType::kPred;
    fits = fits && FitsF32(type);
    wide = wide || BitWidth(type) == 64;
  }
  if (is_complex) {
    return fits && result == PrimitiveType::kC64 ? PrimitiveType::kC64 : PrimitiveType::kC128;
  }
  if (is_float) {
    return fits && result == PrimitiveType::kF32 ? PrimitiveType::kF32 : PrimitiveType::kF64;
  }
  if (is_pred) return PrimitiveType::kPred;
  return wide || BitWidth(result) == 64 ? PrimitiveType::kU64 : PrimitiveType::kU32;
}

Literal ToSystem(const Literal& operand, PrimitiveType system) {
  return Converted(operand, system);
}

Literal FromSystem(Literal computed, PrimitiveType type) { return Converted(computed, type); }

}  // namespace hlocts::reference
