// SPDX-License-Identifier: Apache-2.0
// Declares the families of element-wise kernels. Each function returns the kernel of an opcode for
// one element type, or nullptr if the operation does not allow the type. elementwise.cc combines
// the families and adds the conversions for narrow types.
#pragma once

#include "reference/elementwise.h"
#include "spec/ir/opcode_fwd.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::reference {

using Kernel = ElementwiseOp::Run;

// For s8 to s64 and u8 to u64, with results of the same type (integer.cc, integer_signed.cc).
Kernel IntegerKernel(Opcode opcode, PrimitiveType type);
// Computes the high half of the product of two integers of any width.
void MulhiKernel(const ElementwiseOp& op, const void* const* operands, void* result, int64_t count);
// For pred (integer.cc).
Kernel PredKernel(Opcode opcode);
// For f32 and f64: arithmetic that is exact or correctly rounded (float_arithmetic.cc).
Kernel FloatArithmeticKernel(Opcode opcode, PrimitiveType type);
// Real functions on doubles (float_functions.cc): accurate functions for f64 results, fast
// functions for results that are rounded to a narrower type.
Kernel AccurateFunctionKernel(Opcode opcode);
Kernel FastFunctionKernel(Opcode opcode);
// For c64 and c128 (complex_arithmetic.cc, complex_functions.cc).
Kernel ComplexKernel(Opcode opcode, PrimitiveType type);
Kernel ComplexFunctionKernel(Opcode opcode, PrimitiveType type);
// Comparisons of a native type with results of type pred (compare.cc).
enum class Direction : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };
Kernel CompareKernel(Direction direction, PrimitiveType type);
// Compares operands of any float type by the total order of their bits (ruling 0059).
Kernel TotalOrderKernel(Direction direction);
// select and clamp of a native type (select_clamp.cc).
Kernel SelectKernel(int storage_bytes);
Kernel ClampKernel(PrimitiveType type);
// Converts any array type to any other (convert.cc).
Kernel ConvertKernel(PrimitiveType from, PrimitiveType to);
// op.parameters are the numbers of exponent bits and mantissa bits (reduce_precision.cc).
void ReducePrecisionKernel(const ElementwiseOp& op, const void* const* operands, void* result,
                           int64_t count);

}  // namespace hlocts::reference
