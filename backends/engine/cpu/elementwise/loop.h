// SPDX-License-Identifier: Apache-2.0
// Loops that apply a functor to every element.
#pragma once

#include <type_traits>

#include "backends/engine/cpu/base/float_control.h"
#include "backends/engine/cpu/elementwise/kernel.h"

// Declares iterations independent, even if the result is in the memory of an operand.
#if defined(__clang__)
#define HLOCTS_CPU_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define HLOCTS_CPU_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace hlocts::cpu {

// Disables flushing, because the C library's functions handle subnormals themselves, and return
// wrong results if subnormals are flushed.
template <typename T>
struct KeepSubnormals {
  ScopedFlush scope{false};
};
template <typename T>
requires std::is_integral_v<T>
struct KeepSubnormals<T> {
};

template <class F, typename T, typename R = T>
void Unary(const KernelParameters&, const void* a, const void*, const void*, void* out,
           int64_t count) {
  [[maybe_unused]] const KeepSubnormals<T> keep;
  const T* x = static_cast<const T*>(a);
  R* r = static_cast<R*>(out);
  HLOCTS_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) r[i] = F::Apply(x[i]);
}

template <class F, typename T, typename R = T>
void Binary(const KernelParameters&, const void* a, const void* b, const void*, void* out,
            int64_t count) {
  [[maybe_unused]] const KeepSubnormals<T> keep;
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  R* r = static_cast<R*>(out);
  HLOCTS_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) r[i] = F::Apply(x[i], y[i]);
}

}  // namespace hlocts::cpu
