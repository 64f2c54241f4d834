// SPDX-License-Identifier: Apache-2.0
// Kernels that run another kernel, `inner`, on elements of a type that `inner` supports: narrow
// floats as f32, sub-byte integers as bytes.
#pragma once

#include "backends/engine/cpu/elementwise/kernel.h"

namespace hlocts::cpu {

inline bool IsNarrowFloat(PrimitiveType type) { return IsFloat(type) && BitWidth(type) <= 16; }

// Returns the byte type in which a sub-byte integer type is computed.
inline PrimitiveType ByteType(PrimitiveType type) {
  return IsSigned(type) ? PrimitiveType::kS8 : PrimitiveType::kU8;
}

// Runs an f32 kernel on decoded elements; float results are encoded again.
void ThroughF32(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
                int64_t count);
// Runs an f64 kernel on elements decoded to f64. The strict profile uses it for functions, because
// rounding a result to f32 first could create a tie.
void ThroughF64(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
                int64_t count);
// Computes abs and negate of formats with a sign bit. numbers[0] is the second operand of `inner`.
void WithMask(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
              int64_t count);

// How an operation interprets the unused bits of a byte with a sub-byte integer.
enum Extension : int64_t { kAsStored, kZeroExtended, kSignExtended };
// Runs a byte kernel on sub-byte integers. numbers[0] is the Extension of the operands. numbers[1]
// is subtracted from the result: count-leading-zeros also counts the unused bits of the byte.
void ThroughByte(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
                 int64_t count);

// Adds, subtracts or negates complex numbers as twice as many real numbers.
void OnParts(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
             int64_t count);
// Converts an s64 line that starts at the value at a, by `inner`.
void LineThroughS64(const KernelParameters& p, const void* a, const void* b, const void* c,
                    void* out, int64_t count);

// Copies elements, without an inner kernel.
void CopyBytes(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
               int64_t count);
// Copies elements to another type of the same width: a pred becomes 0 or 1, and the unused bits of
// a byte are extended.
void SameBits(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
              int64_t count);

inline void WrapInF32(Kernel& kernel, KernelFunction inner) {
  kernel.parameters.inner = inner;
  kernel.run = inner != nullptr ? ThroughF32 : nullptr;
}

}  // namespace hlocts::cpu
