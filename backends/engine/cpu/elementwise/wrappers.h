// SPDX-License-Identifier: Apache-2.0
// Kernels that run another kernel, `inner`, on elements of a type that it supports: narrow floats
// as f32, sub-byte integers as bytes.
#pragma once

#include "backends/engine/cpu/elementwise/kernel.h"

namespace hlocts::cpu {

inline bool IsNarrowFloat(PrimitiveType type) { return IsFloat(type) && BitWidth(type) <= 16; }

// Returns the byte type in which a sub-byte integer type is computed.
inline PrimitiveType ByteType(PrimitiveType type) {
  return IsSigned(type) ? PrimitiveType::kS8 : PrimitiveType::kU8;
}

// Runs an f32 kernel on elements decoded to f32. Encodes the results if they are floats.
void ThroughF32(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
                int64_t count);
// Runs an f64 kernel on elements decoded to f64. The strict profile uses it for functions, because
// a result that is first rounded to f32 could become a tie.
void ThroughF64(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
                int64_t count);
// Computes abs and negate in formats with a sign bit. numbers[0] is the second operand of `inner`.
void WithMask(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
              int64_t count);

// The contents of the unused bits when an operation reads a sub-byte integer as a byte.
enum Extension : int64_t { kAsStored, kZeroExtended, kSignExtended };
// Runs a byte kernel on sub-byte integers. numbers[0] is the Extension of the operands. numbers[1]
// is subtracted from the result, because count-leading-zeros also counts unused bits.
void ThroughByte(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
                 int64_t count);

// Adds, subtracts or negates complex numbers as twice as many real numbers.
void OnParts(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
             int64_t count);
// Writes x, x + 1, ... as s64 and converts them by `inner`. `a` points to x.
void LineThroughS64(const KernelParameters& p, const void* a, const void* b, const void* c,
                    void* out, int64_t count);

// Copies elements. There is no inner kernel.
void CopyBytes(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
               int64_t count);
// Copies elements to another type of the same width. A pred becomes 0 or 1. A sub-byte integer
// is extended to its byte.
void SameBits(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
              int64_t count);

inline void WrapInF32(Kernel& kernel, KernelFunction inner) {
  kernel.parameters.inner = inner;
  kernel.run = inner != nullptr ? ThroughF32 : nullptr;
}

}  // namespace hlocts::cpu
