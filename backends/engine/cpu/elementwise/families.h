// SPDX-License-Identifier: Apache-2.0
// The families of kernels that resolve.cc combines. nullptr: not for this type.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_FAMILIES_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_FAMILIES_H_

#include "backends/engine/cpu/elementwise/kernel_function.h"
#include "spec/ops/kinds.h"

namespace hlocts::cpu {

// Vector kernels, compiled for several instruction sets and selected at run time.
KernelFunction VectorArithmetic(Opcode opcode, PrimitiveType type);  // integers, pred, f32, f64
KernelFunction VectorDivision(Opcode opcode, PrimitiveType type);    // integers of up to 32 bits
KernelFunction VectorCompare(Direction direction, PrimitiveType type);
KernelFunction VectorSelect(int width);
// x << y | x >> (width - y), by the shifts' rules; integers of 32 bits.
KernelFunction VectorRotation(PrimitiveType type);
Paired PairedOf(Opcode opcode);  // of VectorArithmetic's operations
// second(first(a, b), c), where `right` second(c, first(a, b)); f32 and integers of 32 bits. It
// takes any operand as one element.
KernelFunction VectorPair(PrimitiveType type, Paired first, Paired second, bool right);
KernelFunction VectorClamp(PrimitiveType type);
// But f32 and f64 to pred; narrow floats to and from f32 alone.
KernelFunction VectorConvert(PrimitiveType from, PrimitiveType to);
KernelFunction VectorReducePrecision(int width);  // of formats with infinities
KernelFunction VectorLine(PrimitiveType type);    // *a, *a + 1, ... where a is an s64
KernelFunction VectorFill(int width);             // *a, repeated
KernelFunction VectorPolynomial(Opcode opcode);   // f32 functions within the default profile
KernelFunction VectorC64(Opcode opcode);          // products and magnitudes
// f32 and f64 functions within one ulp.
KernelFunction VectorMath(Opcode opcode, PrimitiveType type);

// Element at a time.
KernelFunction IntegerKernel(Opcode opcode, PrimitiveType type);
KernelFunction RealFunctionKernel(Opcode opcode, PrimitiveType type, bool strict);  // f32, f64
KernelFunction ComplexKernel(Opcode opcode, PrimitiveType type);
void MulhiKernel(const KernelParameters&, const void*, const void*, const void*, void*, int64_t);
void ReducePrecisionKernel(const KernelParameters&, const void*, const void*, const void*, void*,
                           int64_t);
void GeneralConvert(const KernelParameters&, const void*, const void*, const void*, void*, int64_t);
void ComplexConvert(const KernelParameters&, const void*, const void*, const void*, void*, int64_t);

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_FAMILIES_H_
