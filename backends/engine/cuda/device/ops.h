// SPDX-License-Identifier: Apache-2.0
// The operations on elements from which programs are built.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_OPS_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_OPS_H_

namespace hl {

// clang-format off
enum Op : int {
  // Sources and results: see program.h.
  kOpLoad, kOpLine, kOpPadded, kOpGathered, kOpParameter, kOpConstant, kOpResult,
  // One operand.
  kOpAbs, kOpNegate, kOpSign, kOpNot, kOpCeil, kOpFloor, kOpRoundNearestAfz, kOpRoundNearestEven,
  kOpSqrt, kOpPopcnt, kOpCountLeadingZeros,
#define HLOCTS_REAL_FUNCTION(Name, ...) kOp##Name,
#define HLOCTS_REAL_FORMULA(Name, ...) kOp##Name,
#include "spec/ops/scalar_functions.def"
  kOpIsFinite, kOpReal, kOpImag, kOpConvert, kOpBitcastConvert, kOpReducePrecision,
  // Two operands.
  kOpAdd, kOpSubtract, kOpMultiply, kOpDivide, kOpRemainder, kOpMaximum, kOpMinimum,
  kOpAnd, kOpOr, kOpXor, kOpShiftLeft, kOpShiftRightArithmetic, kOpShiftRightLogical,
#define HLOCTS_BINARY_FUNCTION(Name, ...) kOp##Name,
#include "spec/ops/scalar_functions.def"
  kOpMulhi, kOpComplex, kOpCompare, kOpCompareTotal,
  // Three operands.
  kOpSelect, kOpClamp,
  // Only in loops on the host: see program.h.
  kOpCalled,
};
// clang-format on

// The type in which functions of f32 and narrower types are computed. kMathDouble rounds an f64
// result once. kMathSingle takes no longer on a GPU than reading the operands.
enum Math : int { kMathDouble, kMathSingle };

// Directions of kOpCompare and kOpCompareTotal, stored in Instr::imm[0].
enum Direction : int { kEq, kNe, kLt, kLe, kGt, kGe };

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_OPS_H_
