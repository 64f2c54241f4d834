// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/reduce/reduce_table_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

// pred is a byte that is 0 or 1: add and maximum are or, multiply and minimum are and.
ReduceKind KindOnBits(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kAdd:
    case ReduceKind::kMaximum:
      return ReduceKind::kOr;
    case ReduceKind::kMultiply:
    case ReduceKind::kMinimum:
      return ReduceKind::kAnd;
    default:
      return kind;
  }
}

}  // namespace

ReduceOps ReduceOpsFor(ReduceKind kind, PrimitiveType type) {
  if (type == PrimitiveType::kPred) kind = KindOnBits(kind);
  switch (kind) {
    case ReduceKind::kAdd:
      return ArithmeticOps<AddOp>(type);
    case ReduceKind::kMultiply:
      return ArithmeticOps<MultiplyOp>(type);
    case ReduceKind::kMinimum:
      return OrderOps<MinimumOp>(type);
    case ReduceKind::kMaximum:
      return OrderOps<MaximumOp>(type);
    case ReduceKind::kAnd:
      return BitwiseOps<AndOp>(type);
    case ReduceKind::kOr:
      return BitwiseOps<OrOp>(type);
    default:
      return BitwiseOps<XorOp>(type);
  }
}

}  // namespace hlocts::kernels::HLOCTS_ISA
