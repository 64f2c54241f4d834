// SPDX-License-Identifier: Apache-2.0
// Whose processor this is, where measurements tell them apart, and how the thread uses it.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_PROCESSOR_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_PROCESSOR_H_

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hlocts::kernels {

#if defined(__x86_64__)
inline bool IsIntel() {
  static const bool intel = __builtin_cpu_is("intel");
  return intel;
}
inline bool IsAmd() {
  static const bool amd = __builtin_cpu_is("amd");
  return amd;
}
// Whether this thread takes subnormal operands for zeros and returns zeros for subnormal results.
inline bool FlushesSubnormals() {
  constexpr unsigned kBoth = 0x8040;
  return (_mm_getcsr() & kBoth) == kBoth;
}
#else
inline bool IsIntel() { return false; }
inline bool IsAmd() { return false; }
inline bool FlushesSubnormals() { return false; }
#endif

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_PROCESSOR_H_
