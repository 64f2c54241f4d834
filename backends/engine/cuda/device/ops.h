// SPDX-License-Identifier: Apache-2.0
// The operations on elements, of which programs consist.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_OPS_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_OPS_H_

namespace hl {

// clang-format off
enum Op : int {
  // Inputs and results: see program.h.
  kOpLoad, kOpLine, kOpPadded, kOpGathered, kOpParameter, kOpConstant, kOpResult,
  // Operations with one operand.
  kOpAbs, kOpNegate, kOpSign, kOpNot, kOpCeil, kOpFloor, kOpRoundNearestAfz, kOpRoundNearestEven,
  kOpSqrt, kOpPopcnt, kOpCountLeadingZeros,
#define HLOCTS_REAL_FUNCTION(Name, ...) kOp##Name,
#define HLOCTS_REAL_FORMULA(Name, ...) kOp##Name,
#include "spec/ops/scalar_functions.def"
  kOpIsFinite, kOpReal, kOpImag, kOpConvert, kOpBitcastConvert, kOpReducePrecision,
  // Operations with two operands.
  kOpAdd, kOpSubtract, kOpMultiply, kOpDivide, kOpRemainder, kOpMaximum, kOpMinimum,
  kOpAnd, kOpOr, kOpXor, kOpShiftLeft, kOpShiftRightArithmetic, kOpShiftRightLogical,
#define HLOCTS_BINARY_FUNCTION(Name, ...) kOp##Name,
#include "spec/ops/scalar_functions.def"
  kOpMulhi, kOpComplex, kOpCompare, kOpCompareTotal,
  // Operations with three operands.
  kOpSelect, kOpClamp,
  // Call of a host function, only for loops on the host: see program.h.
  kOpCalled,
};
// clang-format on

// The type in which functions of f32 and narrower floats are computed. kMathDouble rounds an f64
// result once. With kMathSingle, a function takes no longer on a GPU than reading its operands.
enum Math : int { kMathDouble, kMathSingle };

// The directions of kOpCompare and kOpCompareTotal, which are stored in Instr::imm[0].
enum Direction : int { kEq, kNe, kLt, kLe, kGt, kGe };

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_OPS_H_
