// SPDX-License-Identifier: Apache-2.0
// Kernels that run another one, `inner`, on elements of a type that it supports: narrow floats go
// through f32, sub-byte integers through their byte.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_WRAPPERS_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_WRAPPERS_H_

#include "backends/engine/cpu/elementwise/kernel.h"

namespace hlocts::cpu {

inline bool IsNarrowFloat(PrimitiveType type) { return IsFloat(type) && BitWidth(type) <= 16; }

// The type of a whole byte that computes a sub-byte integer.
inline PrimitiveType ByteType(PrimitiveType type) {
  return IsSigned(type) ? PrimitiveType::kS8 : PrimitiveType::kU8;
}

// The kernel of f32 on decoded elements; results of a float type are encoded again.
void ThroughF32(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
                int64_t count);
// The same by way of f64: functions in the strict profile, whose results an intermediate f32 could
// round to a tie.
void ThroughF64(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
                int64_t count);
// abs and negate where the format has a sign bit: `inner` takes numbers[0] as second operand.
void WithMask(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
              int64_t count);

// The view that an operation on sub-byte integers has of a byte that holds one.
enum Extension : int64_t { kAsStored, kZeroExtended, kSignExtended };
// Sub-byte integers: numbers[0] is the extension of operands, numbers[1] is subtracted from the
// result (unused bits that count-leading-zeros has counted).
void ThroughByte(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
                 int64_t count);

// Sums, differences and negation of complex numbers: their parts, twice as many.
void OnParts(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
             int64_t count);
// `inner` converts an s64 line that starts at the one at a.
void LineThroughS64(const KernelParameters& p, const void* a, const void* b, const void* c,
                    void* out, int64_t count);

// Without an inner kernel.
void CopyBytes(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
               int64_t count);
// The same bits in another type of as many: pred is normalised, unused bits of a byte are extended.
void SameBits(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
              int64_t count);

inline void WrapInF32(Kernel& kernel, KernelFunction inner) {
  kernel.parameters.inner = inner;
  kernel.run = inner != nullptr ? ThroughF32 : nullptr;
}

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_WRAPPERS_H_
