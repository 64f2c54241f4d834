// SPDX-License-Identifier: Apache-2.0
// Families of element-wise kernels, from which resolve.cc selects. A function returns nullptr if it
// has no kernel for the type.
#pragma once

#include "backends/engine/cpu/elementwise/kernel_function.h"
#include "spec/ops/kinds.h"

namespace hlocts::cpu {

// Vector kernels, which are compiled for several instruction sets and selected at run time.
KernelFunction VectorArithmetic(Opcode opcode, PrimitiveType type);  // integers, pred, f32, f64
KernelFunction VectorDivision(Opcode opcode, PrimitiveType type);    // integers of up to 32 bits
KernelFunction VectorCompare(Direction direction, PrimitiveType type);
KernelFunction VectorSelect(int width);
// Returns the kernel of x << y | x >> (width - y) with HLO's shifts, for 32-bit integers.
KernelFunction VectorRotation(PrimitiveType type);
Paired PairedOf(Opcode opcode);  // `opcode` as a Paired, or kNone
// Returns the kernel of second(first(a, b), c), or of second(c, first(a, b)) if `right`, for f32
// and 32-bit integers. Any one operand may be a single element.
KernelFunction VectorPair(PrimitiveType type, Paired first, Paired second, bool right);
KernelFunction VectorClamp(PrimitiveType type);
// Has no kernels for f32 and f64 to pred, and for narrow floats to or from types other than f32.
KernelFunction VectorConvert(PrimitiveType from, PrimitiveType to);
KernelFunction VectorReducePrecision(int width);  // for formats with infinities
KernelFunction VectorLine(PrimitiveType type);    // writes *a, *a + 1, ...; `a` points to an s64
KernelFunction VectorFill(int width);             // writes copies of *a
// Has kernels of f32 functions with the accuracy that the default profile requires.
KernelFunction VectorPolynomial(Opcode opcode);
KernelFunction VectorC64(Opcode opcode);  // products and magnitudes
// Has kernels of f32 and f64 functions with an error of at most one ulp.
KernelFunction VectorMath(Opcode opcode, PrimitiveType type);

// Scalar kernels, which process one element at a time.
KernelFunction IntegerKernel(Opcode opcode, PrimitiveType type);
KernelFunction RealFunctionKernel(Opcode opcode, PrimitiveType type, bool strict);  // f32, f64
KernelFunction ComplexKernel(Opcode opcode, PrimitiveType type);
void MulhiKernel(const KernelParameters&, const void*, const void*, const void*, void*, int64_t);
void ReducePrecisionKernel(const KernelParameters&, const void*, const void*, const void*, void*,
                           int64_t);
void GeneralConvert(const KernelParameters&, const void*, const void*, const void*, void*, int64_t);
void ComplexConvert(const KernelParameters&, const void*, const void*, const void*, void*, int64_t);

}  // namespace hlocts::cpu
