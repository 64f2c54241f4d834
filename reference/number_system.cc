// SPDX-License-Identifier: Apache-2.0
#include "reference/number_system.h"

#include <utility>

#include "reference/ops/families.h"

namespace hlocts::reference {
namespace {

// Same bits in both types: integers of one width.
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

}  // namespace

PrimitiveType SystemType(PrimitiveType type) {
  if (IsInteger(type)) return BitWidth(type) == 64 ? PrimitiveType::kU64 : PrimitiveType::kU32;
  if (IsFloat(type)) return BitWidth(type) == 64 ? PrimitiveType::kF64 : PrimitiveType::kF32;
  return type;
}

Literal ToSystem(const Literal& operand, PrimitiveType system) {
  return Converted(operand, system);
}

Literal FromSystem(Literal computed, PrimitiveType type) { return Converted(computed, type); }

}  // namespace hlocts::reference
