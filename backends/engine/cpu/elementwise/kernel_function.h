// SPDX-License-Identifier: Apache-2.0
// The signature of element-wise kernels. Files that are compiled once for each instruction set
// include only this header, not the selection of kernels (kernel.h).
#pragma once

#include <cstdint>

#include "spec/ir/primitive_type.h"

namespace hlocts::cpu {

struct KernelParameters;
// Computes out[i] = f(a[i], b[i], c[i]) for i < count. `out` may be an operand whose elements have
// the same width. Otherwise it must not overlap the operands.
using KernelFunction = void (*)(const KernelParameters& parameters, const void* a, const void* b,
                                const void* c, void* out, int64_t count);

struct KernelParameters {
  PrimitiveType operand_type = PrimitiveType::kInvalid;
  PrimitiveType result_type = PrimitiveType::kInvalid;
  int operand_count = 1;
  int64_t numbers[2] = {0, 0};
  KernelFunction inner = nullptr;  // the kernel that a wrapper (wrappers.h) calls
  // Bit mask of the operands that are a single element: 1 for a, 2 for b, 4 for c. Kernels that do
  // not support single elements ignore it.
  uint8_t single = 0;
  // If row_size > 0: bit mask of the operands that contain one row, which is used repeatedly. Only
  // for kernels with Kernel::repeats.
  uint8_t repeated = 0;
  int64_t row_size = 0;
};

// Operations that a loop may compute in pairs (vector_pairs.cc). kSquare must be the second one.
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
