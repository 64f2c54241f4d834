// SPDX-License-Identifier: Apache-2.0
// Helpers for kernel tests: runs on every instruction set, random elements, simple arithmetic.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <type_traits>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "backends/engine/cpu/kernels/runtime/convert.h"
#include "hwy/targets.h"
#include "spec/ir/native.h"

namespace hlocts::kernels {

// Runs `body` once for each instruction set that this machine supports.
template <typename Body>
void ForEachIsa(Body body) {
  const int64_t supported = hwy::SupportedTargets();
  for (int64_t left = supported; left != 0; left &= left - 1) {
    const int64_t target = left & -left;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::GetChosenTarget().Update(target);
    body();
  }
  hwy::GetChosenTarget().Update(supported);
}

// Runs `body` twice: without flushing subnormals, and with flushing, as in the engine.
template <typename Body>
void FlushedAndNot(Body body) {
  body();
#if defined(__x86_64__)
  SCOPED_TRACE("flushing");
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);
  body();
  _mm_setcsr(before);
#endif
}

// Returns small integers. Their sums and products are exact in every type, so results can be
// compared bit for bit.
template <typename T>
std::vector<T> RandomElements(int64_t count, int seed, int low = -3, int high = 3) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> pick(std::is_unsigned_v<T> ? 0 : low, high);
  std::vector<T> result(count);
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (kIsComplex<T>) {
      const int re = pick(random);
      result[i] = T(re, pick(random));
    } else {
      result[i] = static_cast<T>(pick(random));
    }
  }
  return result;
}

// The type in which expected results are computed, and the elements as a vector of it. One function
// then serves all element types.
template <typename T>
using WideOf = std::conditional_t<kIsComplex<T>, Complex128, int64_t>;
template <typename T>
std::vector<WideOf<T>> Widened(const std::vector<T>& elements) {
  return {elements.begin(), elements.end()};
}

// Converts to type T. Integers wrap, floats are rounded once.
template <typename T, typename Wide>
std::vector<T> Narrowed(const std::vector<Wide>& sums) {
  std::vector<T> result(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    if constexpr (kIsComplex<T> || std::is_integral_v<T>) {
      result[i] = static_cast<T>(sums[i]);
    } else {
      result[i] = static_cast<T>(static_cast<double>(sums[i]));
    }
  }
  return result;
}

template <typename T>
int64_t Differences(const std::vector<T>& a, const std::vector<T>& b) {
  int64_t wrong = 0;
  for (size_t i = 0; i < b.size(); ++i) wrong += !(a[i] == b[i]);
  return wrong;
}

// Returns nearly normal floats of mean 0 and variance 1, as sums of eight uniform 16-bit numbers.
// The library's normal distribution takes logarithms, which would dominate many tests.
inline std::vector<float> RandomFloats(int64_t count, int seed) {
  std::mt19937 random(seed);
  std::vector<float> result(count);
  for (float& x : result) {
    int64_t sum = 0;
    for (int draw = 0; draw < 4; ++draw) {
      const auto bits = static_cast<int64_t>(random());
      sum += (bits >> 16) + (bits & 0xffff) - 0xffff;
    }
    x = static_cast<float>(sum) * (1.2247449f / 65536);
  }
  return result;
}

// Calls visit(index) for every index of an array with these dimensions, in row-major order.
template <typename Visit>
void ForEachIndexOf(const std::vector<int64_t>& dimensions, Visit visit) {
  std::vector<int64_t> index(dimensions.size(), 0);
  for (int64_t size : dimensions) {
    if (size == 0) return;
  }
  for (;;) {
    visit(index);
    size_t d = dimensions.size();
    while (d > 0 && ++index[d - 1] == dimensions[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace hlocts::kernels
