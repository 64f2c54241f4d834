// SPDX-License-Identifier: Apache-2.0
// Vectors of the instruction set being compiled. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_VECTOR_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_VECTOR_ISA_H_

#include <cstdint>

#ifndef HLOCTS_ISA
#error "this header is for sources that are compiled once per instruction set"
#endif

#if defined(__clang__)
#define HLOCTS_UNROLL _Pragma("unroll")
#else
#define HLOCTS_UNROLL _Pragma("GCC unroll 32")
#endif
#define HLOCTS_INLINE inline __attribute__((always_inline))
#define HLOCTS_INLINE_LAMBDA __attribute__((always_inline))

namespace hlocts::kernels::HLOCTS_ISA {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
inline constexpr int kVectorRegisters = 32;
#elif defined(__AVX2__)
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
  return x - Vec<T>{};  // keeps the sign of -0
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_VECTOR_ISA_H_
