// SPDX-License-Identifier: Apache-2.0
// The families of kernels that resolve.cc puts together. nullptr: not for this type.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_FAMILIES_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_FAMILIES_H_

#include <optional>

#include "backends/engine/cpu/elementwise/kernel_function.h"
#include "spec/ops/kinds.h"

namespace hlocts::cpu {

// Vector kernels, compiled for several instruction sets and chosen when the program runs.
KernelFunction VectorArithmetic(Opcode opcode, PrimitiveType type);  // integers, pred, f32, f64
KernelFunction VectorDivision(Opcode opcode, PrimitiveType type);    // integers of up to 32 bits
KernelFunction VectorCompare(Direction direction, PrimitiveType type);
KernelFunction VectorSelect(int width);
KernelFunction VectorShiftBoth(PrimitiveType type);  // integers of 32 and 64 bits
KernelFunction VectorClamp(PrimitiveType type);
// x << y | x >> (width - y), by the shifts' rules; integers of 32 and 64 bits.
KernelFunction VectorRotation(PrimitiveType type);
// second(first(a, b), c), where `right` second(c, first(a, b)), of two kernels of VectorArithmetic
// or VectorRotation; it takes any operand as one element.
KernelFunction VectorPair(KernelFunction first, KernelFunction second, bool right);
// A kernel of VectorCompare and one of VectorSelect on elements as wide; see PairKernel.
KernelFunction VectorChoice(KernelFunction compare, KernelFunction select);
// But f32 and f64 to pred; narrow floats to and from f32 alone.
KernelFunction VectorConvert(PrimitiveType from, PrimitiveType to);
KernelFunction VectorReducePrecision(int width);  // of formats with infinities
KernelFunction VectorLine(PrimitiveType type);    // *a, *a + 1, ... where a is an s64
KernelFunction VectorFill(int width);             // *a again and again
// Functions within the default profile.
KernelFunction VectorMath(Opcode opcode);      // f32
KernelFunction VectorMathWide(Opcode opcode);  // f32 by way of f64
KernelFunction VectorMathF64(Opcode opcode);   // f64
KernelFunction VectorSineF64(Opcode opcode);   // f64
KernelFunction VectorComplex(Opcode opcode);   // c64

// Element at a time.
KernelFunction IntegerKernel(Opcode opcode, PrimitiveType type);
KernelFunction RealFunctionKernel(Opcode opcode, PrimitiveType type, bool strict);  // f32, f64
KernelFunction ComplexKernel(Opcode opcode, PrimitiveType type);
void MulhiKernel(const KernelParameters&, const void*, const void*, const void*, void*, int64_t);
void ReducePrecisionKernel(const KernelParameters&, const void*, const void*, const void*, void*,
                           int64_t);
void GeneralConvert(const KernelParameters&, const void*, const void*, const void*, void*, int64_t);
void ComplexConvert(const KernelParameters&, const void*, const void*, const void*, void*, int64_t);

// The vector loop of a function of real numbers.
struct FunctionLoop {
  ops::RealFunction function;
  KernelFunction run;
};
// nullptr: none of them is this opcode's.
template <size_t n>
KernelFunction LoopOf(Opcode opcode, const FunctionLoop (&loops)[n]) {
  const std::optional<ops::RealFunction> function = ops::RealFunctionOf(opcode);
  if (!function.has_value()) return nullptr;
  for (const FunctionLoop& loop : loops) {
    if (loop.function == *function) return loop.run;
  }
  return nullptr;
}

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_FAMILIES_H_
