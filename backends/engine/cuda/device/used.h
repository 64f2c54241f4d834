// SPDX-License-Identifier: Apache-2.0
// Omits the parts of these headers that a kernel does not use. Emitted code lists its element
// types, operations and precisions (HL_TYPES, HL_OPS, HL_MATHS) before it includes the headers.
// Other code is then not compiled, which saves a third of a kernel's compilation time. Without a
// list all parts are used. Integer indices need no list.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_USED_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_USED_H_

#include "backends/engine/cuda/device/base.h"
#include "backends/engine/cuda/device/ops.h"

namespace hl {

// Replaces omitted code. A kernel that lists too little does not link, because this function is not
// defined for NVRTC; for other compilers the function traps.
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
// Returns true if floats narrower than this number of bits are used.
HL_FN constexpr bool HasFloatsBelow(int bits) {
  for (int type = kPred; type <= kF8E8M0FNU; ++type) {
    if (HasType(type) && ClassOf(type) == kClassFloat && BitsOf(type) < bits) return true;
  }
  return false;
}
// Returns true if integers are used as elements, not only as indices.
HL_FN constexpr bool HasIntegers() {
  return HasClass(kClassPred) || HasClass(kClassSigned) || HasClass(kClassUnsigned);
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_USED_H_
