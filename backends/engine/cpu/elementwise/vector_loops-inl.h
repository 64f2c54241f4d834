// SPDX-License-Identifier: Apache-2.0
// Loops over the elements of a block. Compilers vectorize them for each instruction set.
#if defined(HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_LOOPS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_LOOPS_INL_H_
#undef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_LOOPS_INL_H_
#else
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_LOOPS_INL_H_
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "backends/engine/cpu/elementwise/kernel_function.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {

#undef HLOCTS_LOOP
#if defined(__clang__)
#define HLOCTS_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define HLOCTS_LOOP _Pragma("GCC ivdep")
#endif

#define HLOCTS_ARGUMENTS                                                                   \
  [[maybe_unused]] const KernelParameters &p, const void *a, const void *b, const void *c, \
      void *out, int64_t count

template <class F, typename T, typename R = T>
void UnaryLoop(HLOCTS_ARGUMENTS) {
  (void)b, (void)c;
  const T* x = static_cast<const T*>(a);
  R* r = static_cast<R*>(out);
  HLOCTS_LOOP
  for (int64_t i = 0; i < count; ++i) r[i] = F::Apply(x[i]);
}

// True if F's operands may be exchanged. This may only change which of two NaNs results.
template <class F>
inline constexpr bool kSymmetric = false;
// True if exchanging the operands never changes bits. For floats it may: the sum of two NaNs is the
// first NaN.
template <class F, typename R>
constexpr bool kCommutes = kSymmetric<F>&& std::is_integral_v<R>;

template <class F, typename T, typename R = T>
void BinaryLoop(HLOCTS_ARGUMENTS) {
  (void)c;
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  R* r = static_cast<R*>(out);
  const bool swaps = kCommutes<F, R> && p.single == 1;
  if (swaps) std::swap(x, y);
  if (!kCommutes<F, R> && p.single == 1) {
    const T all = *x;
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) r[i] = F::Apply(all, y[i]);
  } else if (swaps || p.single == 2) {
    const T all = *y;
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) r[i] = F::Apply(x[i], all);
  } else {
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) r[i] = F::Apply(x[i], y[i]);
  }
}

// Applies F with its operands exchanged.
template <class F, typename T, typename R = T>
void MirroredLoop(HLOCTS_ARGUMENTS) {
  KernelParameters mirrored = p;
  if (p.single != 0) mirrored.single = 3 - p.single;
  BinaryLoop<F, T, R>(mirrored, b, a, c, out, count);
}

inline float FloatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
inline uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_LOOPS_INL_H_
