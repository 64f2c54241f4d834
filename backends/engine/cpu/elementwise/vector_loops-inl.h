// SPDX-License-Identifier: Apache-2.0
// Loops over the elements of a block, compiled once for each instruction set; compilers make vector
// code of them.
#if defined(HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_LOOPS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_LOOPS_INL_H_
#undef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_LOOPS_INL_H_
#else
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_LOOPS_INL_H_
#endif

#include <cstdint>
#include <cstring>

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

// Without vectors the set is that of old processors, where a short build counts for more.
constexpr bool kVectors = HWY_TARGET != HWY_SCALAR;

// one(i) for each element, one after the other: fewer than make a vector, which compilers do not
// know.
template <typename One>
HWY_INLINE void OneByOne(int64_t count, One one) {
  for (int64_t i = 0; i < count; ++i) {
    asm("" : "+r"(i));
    one(i);
  }
}

template <class F, typename T, typename R = T>
void UnaryLoop(HLOCTS_ARGUMENTS) {
  (void)b, (void)c;
  const T* x = static_cast<const T*>(a);
  R* r = static_cast<R*>(out);
  if (!kVectors) return OneByOne(count, [&](int64_t i) { r[i] = F::Apply(x[i]); });
  HLOCTS_LOOP
  for (int64_t i = 0; i < count; ++i) r[i] = F::Apply(x[i]);
}

// How many elements a loop with several operands does at a time, of which T is the type of one: the
// widest vector of all.
template <typename T>
inline constexpr int64_t kStep = 64 / static_cast<int64_t>(sizeof(T));

// An operand of such a loop: an array, or one element in place of all. That one is repeated for a
// step, so that there is one loop to compile and not another for each operand that may be single.
template <typename T, int64_t n = kStep<T>>
struct Operand {
  Operand(const void* data, bool single, T (&repeated)[n])
      : at(static_cast<const T*>(data)), step(single ? 0 : n) {
    if (!single) return;
    const T all = *at;
    for (T& element : repeated) element = all;
    at = repeated;
  }
  void Advance() { at += step; }

  const T* at;
  int64_t step;
};

// one(i) for the n elements of a step, next() behind each step; what is left is less than a step.
template <int64_t n, typename One, typename Next>
HWY_INLINE void StepByStep(int64_t count, One one, Next next) {
  for (; count >= n; count -= n, next()) {
    if (!kVectors) {
      OneByOne(n, one);
      continue;
    }
    HLOCTS_LOOP
    for (int64_t i = 0; i < n; ++i) one(i);
  }
  OneByOne(count, one);
}

template <class F, typename T, typename R = T>
void BinaryLoop(HLOCTS_ARGUMENTS) {
  (void)c;
  constexpr int64_t n = kStep<R>;
  T repeated[n];
  Operand<T, n> x(a, p.single == 1, repeated);
  R* r = static_cast<R*>(out);
  // The one that most often is single, and what is made of it (a shift's ways) is made once.
  if (p.single == 2) {
    const T y = *static_cast<const T*>(b);
    return StepByStep<n>(
        count, [&](int64_t i) { r[i] = F::Apply(x.at[i], y); }, [&] { x.Advance(), r += n; });
  }
  Operand<T, n> y(b, false, repeated);
  StepByStep<n>(
      count, [&](int64_t i) { r[i] = F::Apply(x.at[i], y.at[i]); },
      [&] { x.Advance(), y.Advance(), r += n; });
}
// F::kBySingleSecond: F makes something of the second operand: once, if that is single.
template <class F, typename T>
void TernaryLoop(HLOCTS_ARGUMENTS) {
  T repeated[kStep<T>];
  Operand<T> x(a, p.single == 1, repeated);
  Operand<T> y(b, p.single == 2, repeated);
  Operand<T> z(c, p.single == 4, repeated);
  T* r = static_cast<T*>(out);
  if (F::kBySingleSecond && p.single == 2) {
    const T all = *y.at;
    return StepByStep<kStep<T>>(
        count, [&](int64_t i) { r[i] = F::Apply(x.at[i], all, z.at[i]); },
        [&] { x.Advance(), z.Advance(), r += kStep<T>; });
  }
  StepByStep<kStep<T>>(
      count, [&](int64_t i) { r[i] = F::Apply(x.at[i], y.at[i], z.at[i]); },
      [&] { x.Advance(), y.Advance(), z.Advance(), r += kStep<T>; });
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
