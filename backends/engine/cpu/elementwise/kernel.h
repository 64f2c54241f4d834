// SPDX-License-Identifier: Apache-2.0
// Kernels of element-wise operations on blocks of elements, of which fused loops and called
// computations consist. Elements are stored as in a Literal.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_KERNEL_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_KERNEL_H_

#include <cstdint>

#include "backends/engine/cpu/elementwise/kernel_function.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::cpu {

struct Kernel {
  KernelFunction run = nullptr;
  KernelParameters parameters;
  uint8_t singles = 0;  // which operands it takes as one element, one at a time
  Paired paired = Paired::kNone;

  void operator()(const void* a, const void* b, const void* c, void* out, int64_t count) const {
    run(parameters, a, b, c, out, count);
  }
};

struct MathOptions {
  bool strict = false;  // functions of the strict profile: within an ulp
};

// The types of an element-wise instruction; operand_type is that of the values (select's second).
struct ElementTypes {
  PrimitiveType operand_type = PrimitiveType::kInvalid;
  PrimitiveType result_type = PrimitiveType::kInvalid;
  int operand_count = 1;
};
// The instruction gives the opcode and the attributes.
absl::StatusOr<Kernel> ResolveKernel(const Instruction& instruction, const ElementTypes& types,
                                     const MathOptions& options);
// x << y | x >> (width - y); run is null where the type has none.
Kernel RotationKernel(PrimitiveType type);
// second(first(a, b), c), where `right` second(c, first(a, b)); run is null where there is none.
Kernel PairKernel(const Kernel& first, const Kernel& second, bool right);
// A unary or binary operation by opcode alone; run is null where the type has none.
Kernel ArithmeticKernel(Opcode opcode, PrimitiveType type, const MathOptions& options = {});
Kernel ConvertKernel(PrimitiveType from, PrimitiveType to);
// kernel(&first, nullptr, nullptr, out, count): first, first + 1, ... from an s64, converted.
Kernel LineKernel(PrimitiveType type);
// out[i] = *element, of `width` bytes.
void FillElements(const void* element, int width, int64_t count, void* out);
Kernel CopyKernel(int width);  // of elements of so many bytes
Kernel CompareKernel(Direction direction, PrimitiveType type, bool total_order);
bool DirectionOf(const Instruction& instruction, Direction& direction);

// Total order of floats, value order of integers, as unsigned keys: smaller keys come first.
void TotalOrderKeys(PrimitiveType type, const void* elements, uint64_t* keys, int64_t count);

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_KERNEL_H_
