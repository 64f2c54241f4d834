// SPDX-License-Identifier: Apache-2.0
// A loop over a block of elements, independent of its selection (kernel.h): files that are compiled
// for each instruction set include only this.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_KERNEL_FUNCTION_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_KERNEL_FUNCTION_H_

#include <cstdint>

#include "spec/ir/primitive_type.h"

namespace hlocts::cpu {

struct KernelParameters;
// out[i] = f(a[i], b[i], c[i]) for i < count. out may be one of the operands if that has elements
// of the same width; else they do not overlap.
using KernelFunction = void (*)(const KernelParameters& parameters, const void* a, const void* b,
                                const void* c, void* out, int64_t count);

struct KernelParameters {
  PrimitiveType operand_type = PrimitiveType::kInvalid;
  PrimitiveType result_type = PrimitiveType::kInvalid;
  int operand_count = 1;
  int64_t numbers[2] = {0, 0};
  KernelFunction inner = nullptr;  // called by a wrapper on converted elements
  // Bits for operands a (1), b (2) and c (4) that are one broadcast element, where the kernel
  // supports it.
  uint8_t single = 0;
};

// Operations that a loop may combine in pairs (vector_pairs.cc); kSquare only as the second one.
enum class Paired : uint8_t {
  kNone,
  kAdd,
  kSubtract,
  kMultiply,
  kSquare,
  kMaximum,
  kMinimum,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kShiftRight,
  kRotate
};

enum class Direction : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_KERNEL_FUNCTION_H_
