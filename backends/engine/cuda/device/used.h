// SPDX-License-Identifier: Apache-2.0
// Omits the parts of these headers that a kernel does not use, which saves a third of its compile
// time. Emitted code lists its element types, operations and precisions (HL_TYPES, HL_OPS,
// HL_MATHS) before it includes the headers. Without a list all parts are used. A type that is used
// only for indices need not be listed.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_USED_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_USED_H_

#include "backends/engine/cuda/device/base.h"
#include "backends/engine/cuda/device/ops.h"

namespace hl {

// Replaces omitted code. For NVRTC this calls an undefined function, so a kernel that omits a used
// entry from its list does not link. For other compilers it traps.
#if defined(__CUDACC_RTC__)
extern "C" __device__ void hl_used_but_not_listed();
HL_FN void NotUsed() { hl_used_but_not_listed(); }
#elif defined(__CUDA_ARCH__)
HL_FN void NotUsed() { __trap(); }
#else
HL_FN void NotUsed() { __builtin_trap(); }
#endif

template <int kCount>
HL_FN constexpr bool IsIn(const int (&list)[kCount], int number) {
  for (int k = 0; k < kCount; ++k) {
    if (list[k] == number) return true;
  }
  return false;
}

#ifdef HL_TYPES
HL_FN constexpr bool HasType(int type) {
  const int types[] = {HL_TYPES};
  return IsIn(types, type);
}
#else
HL_FN constexpr bool HasType(int) { return true; }
#endif

#ifdef HL_OPS
HL_FN constexpr bool HasOp(int op) {
  const int ops[] = {HL_OPS};
  return IsIn(ops, op);
}
#else
HL_FN constexpr bool HasOp(int) { return true; }
#endif

#ifdef HL_MATHS
HL_FN constexpr bool HasMath(int math) {
  const int maths[] = {HL_MATHS};
  return IsIn(maths, math);
}
#else
HL_FN constexpr bool HasMath(int) { return true; }
#endif

HL_FN constexpr bool HasClass(int wanted) {
  for (int type = kPred; type <= kF8E8M0FNU; ++type) {
    if (HasType(type) && ClassOf(type) == wanted) return true;
  }
  return false;
}
// Returns true if floats of fewer than `bits` bits are used.
HL_FN constexpr bool HasFloatsBelow(int bits) {
  for (int type = kPred; type <= kF8E8M0FNU; ++type) {
    if (HasType(type) && ClassOf(type) == kClassFloat && BitsOf(type) < bits) return true;
  }
  return false;
}
HL_FN constexpr bool HasIntegers() {
  return HasClass(kClassPred) || HasClass(kClassSigned) || HasClass(kClassUnsigned);
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_USED_H_
