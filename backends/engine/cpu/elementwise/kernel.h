// SPDX-License-Identifier: Apache-2.0
// Kernels that apply an element-wise operation to a block of elements. Fused loops and called
// computations consist of calls of kernels. Elements are stored as in a Literal.
#pragma once

#include <cstdint>

#include "backends/engine/cpu/elementwise/kernel_function.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::cpu {

struct Kernel {
  KernelFunction run = nullptr;
  KernelParameters parameters;
  // Bit mask of the operands that may be a single element. In one call, at most one of them is.
  uint8_t singles = 0;
  bool repeats = false;  // operands may repeat a row (KernelParameters::repeated)
  Paired paired = Paired::kNone;

  void operator()(const void* a, const void* b, const void* c, void* out, int64_t count) const {
    run(parameters, a, b, c, out, count);
  }
};

struct MathOptions {
  bool strict = false;  // functions have an error of at most one ulp
};

// The types of an element-wise instruction. For select, operand_type is that of the values.
struct ElementTypes {
  PrimitiveType operand_type = PrimitiveType::kInvalid;
  PrimitiveType result_type = PrimitiveType::kInvalid;
  int operand_count = 1;
};
// Returns the kernel for the opcode and the attributes of the instruction.
absl::StatusOr<Kernel> ResolveKernel(const Instruction& instruction, const ElementTypes& types,
                                     const MathOptions& options);
// Returns the kernel of x << y | x >> (width - y). `run` is null if the type has none.
Kernel RotationKernel(PrimitiveType type);
// Returns the kernel of second(first(a, b), c), or of second(c, first(a, b)) if `right`. `run` is
// null if there is none.
Kernel PairKernel(const Kernel& first, const Kernel& second, bool right);
// Returns the kernel of a unary or binary operation without attributes. `run` is null if the type
// has none.
Kernel ArithmeticKernel(Opcode opcode, PrimitiveType type, const MathOptions& options = {});
Kernel ConvertKernel(PrimitiveType from, PrimitiveType to);
// Returns the kernel that writes *a, *a + 1, ... converted to `type`. Its only operand `a` points
// to an s64.
Kernel LineKernel(PrimitiveType type);
// Sets out[i] = *element. Elements have `width` bytes.
void FillElements(const void* element, int width, int64_t count, void* out);
Kernel CopyKernel(int width);  // for elements of `width` bytes
Kernel CompareKernel(Direction direction, PrimitiveType type, bool total_order);
bool DirectionOf(const Instruction& instruction, Direction& direction);

// Computes unsigned keys whose order is the total order of floats, or the order of integers.
void TotalOrderKeys(PrimitiveType type, const void* elements, uint64_t* keys, int64_t count);

}  // namespace hlocts::cpu
