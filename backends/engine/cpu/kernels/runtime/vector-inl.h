// SPDX-License-Identifier: Apache-2.0
// Vector types and functions of the instruction set for which the file is being compiled.
#if defined(HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_VECTOR_INL_H_
#undef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_VECTOR_INL_H_
#else
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_VECTOR_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

#undef HLOCTS_UNROLL
#undef HLOCTS_INLINE
#undef HLOCTS_INLINE_LAMBDA
#if defined(__clang__)
#define HLOCTS_UNROLL _Pragma("unroll")
#else
#define HLOCTS_UNROLL _Pragma("GCC unroll 32")
#endif
#define HLOCTS_INLINE inline __attribute__((always_inline))
#define HLOCTS_INLINE_LAMBDA __attribute__((always_inline)) HWY_ATTR

HWY_BEFORE_NAMESPACE();
namespace hlocts::kernels {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3
inline constexpr int kVectorBytes = 64;
inline constexpr int kVectorRegisters = 32;
#elif HWY_TARGET == HWY_AVX2
inline constexpr int kVectorBytes = 32;
inline constexpr int kVectorRegisters = 16;
#else
inline constexpr int kVectorBytes = 16;
inline constexpr int kVectorRegisters = 16;
#endif

template <typename T, int kBytes = kVectorBytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(kBytes)));
};
template <typename T>
using Vec = typename VectorOf<T>::type;
template <typename T>
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));

template <typename T>
HLOCTS_INLINE Vec<T> Load(const T* p) {
  Vec<T> v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}

template <typename T>
HLOCTS_INLINE void Store(T* p, const Vec<T>& v) {
  __builtin_memcpy(p, &v, sizeof(v));
}

template <typename T>
HLOCTS_INLINE Vec<T> Splat(T x) {
  return x - Vec<T>{};  // preserves -0
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::kernels
HWY_AFTER_NAMESPACE();

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_VECTOR_INL_H_
