// SPDX-License-Identifier: Apache-2.0
// The families of element-wise kernels. Each function gives the kernel of an opcode for one element
// type, or nullptr when the operation does not allow the type; elementwise.cc puts the families
// together and adds what narrow types need around them.
#ifndef HLOCTS_REFERENCE_OPS_FAMILIES_H_
#define HLOCTS_REFERENCE_OPS_FAMILIES_H_

#include "reference/elementwise.h"
#include "spec/ir/opcode_fwd.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::reference {

using Kernel = ElementwiseOp::Run;

// s8 to s64, u8 to u64; results of the same type (integer.cc, integer_signed.cc).
Kernel IntegerKernel(Opcode opcode, PrimitiveType type);
// High half of the product of two integers of any width.
void MulhiKernel(const ElementwiseOp& op, const void* const* operands, void* result, int64_t count);
// pred (integer.cc).
Kernel PredKernel(Opcode opcode);
// f32 and f64: arithmetic that is exact or correctly rounded (float_arithmetic.cc).
Kernel FloatArithmeticKernel(Opcode opcode, PrimitiveType type);
// Real functions on doubles: as accurate as we can, for results of f64; fast, for those that will
// be rounded to a narrower type (float_functions.cc).
Kernel AccurateFunctionKernel(Opcode opcode);
Kernel FastFunctionKernel(Opcode opcode);
// c64 and c128 (complex_arithmetic.cc, complex_functions.cc).
Kernel ComplexKernel(Opcode opcode, PrimitiveType type);
Kernel ComplexFunctionKernel(Opcode opcode, PrimitiveType type);
// Results of type pred, operands of a native type (compare.cc).
enum class Direction : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };
Kernel CompareKernel(Direction direction, PrimitiveType type);
// Operands of any float type, by the order of their bits (ruling 0059).
Kernel TotalOrderKernel(Direction direction);
// select, clamp of a native type (select_clamp.cc).
Kernel SelectKernel(int storage_bytes);
Kernel ClampKernel(PrimitiveType type);
// Any array type to any other (convert.cc).
Kernel ConvertKernel(PrimitiveType from, PrimitiveType to);
// parameters: exponent bits, mantissa bits (reduce_precision.cc).
void ReducePrecisionKernel(const ElementwiseOp& op, const void* const* operands, void* result,
                           int64_t count);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_OPS_FAMILIES_H_
