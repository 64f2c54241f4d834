// SPDX-License-Identifier: Apache-2.0
// Matrix product of strided matrices of one computing type. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_ISA_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "backends/engine/cpu/kernels/gemm/dot.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "backends/engine/cpu/kernels/runtime/vector_isa.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace hlocts::kernels::HLOCTS_ISA {

// What the caller reads after a product, as runs of cache lines to be fetched meanwhile.
struct Ahead {
  static constexpr int64_t kLine = 64;
  struct Lines {
    const char* at = nullptr;
    int64_t count = 0;
  };
  Lines now, later;

  // At most `count` lines; the rest of them stays.
  Lines Take(int64_t count) {
    if (now.count == 0) now = std::exchange(later, {});
    const Lines taken = {now.at, std::min(count, now.count)};
    now.at += taken.count * kLine;
    now.count -= taken.count;
    return taken;
  }
};

// Two neighbours along the sum, integers of 16 bits with a sign: their product with two others is
// the sum of both products, modulo 2^32. A type that no element has.
using Pair16 = char32_t;

// The same of bf16, whose products are exact and are added in f32, subnormals as zeros.
using PairBf16 = int32_t;
#if defined(__AVX512BF16__)
inline constexpr bool kPairsOfBf16 = true;
#else
inline constexpr bool kPairsOfBf16 = false;
#endif

// What sums of products of T are.
template <typename T>
using SumOf = std::conditional_t<std::is_same_v<T, PairBf16>, float, T>;

// c[i, j] = sum over p of a[i, p] * b[p, j]; strides in elements, c's rows contiguous.
template <typename T>
struct GemmArgs {
  int64_t m = 0, n = 0, k = 0;
  const T* a = nullptr;
  int64_t a_row = 0, a_column = 1;
  const T* b = nullptr;
  int64_t b_row = 0, b_column = 1;
  SumOf<T>* c = nullptr;
  int64_t c_row = 0;
  Ahead* ahead = nullptr;  // only of products on one thread
  const PartDone* done = nullptr;
};

HLOCTS_INLINE uint32_t PairProduct(Pair16 x, Pair16 y) {
  const auto half = [](uint32_t h) { return static_cast<uint32_t>(static_cast<int16_t>(h)); };
  return half(x) * half(y) + half(x >> 16) * half(y >> 16);
}

HLOCTS_INLINE Vec<Pair16> PairProducts(const Vec<Pair16>& x, const Vec<Pair16>& y) {
#if defined(__AVX512F__)
  return (Vec<Pair16>)_mm512_madd_epi16((__m512i)x, (__m512i)y);
#elif defined(__AVX2__)
  return (Vec<Pair16>)_mm256_madd_epi16((__m256i)x, (__m256i)y);
#elif defined(__SSE2__)
  return (Vec<Pair16>)_mm_madd_epi16((__m128i)x, (__m128i)y);
#else
  Vec<Pair16> products;
  for (int i = 0; i < kLanes<Pair16>; ++i) products[i] = PairProduct(x[i], y[i]);
  return products;
#endif
}

HLOCTS_INLINE float AddPairProduct(float sum, PairBf16 x, PairBf16 y) {
  const auto high = [](uint32_t bits) { return std::bit_cast<float>(bits & 0xFFFF0000); };
  sum += high(static_cast<uint32_t>(x)) * high(static_cast<uint32_t>(y));
  return sum + high(static_cast<uint32_t>(x) << 16) * high(static_cast<uint32_t>(y) << 16);
}

HLOCTS_INLINE Vec<float> AddPairProducts(const Vec<float>& sum, const Vec<PairBf16>& x,
                                         const Vec<PairBf16>& y) {
#if defined(__AVX512BF16__)
  return (Vec<float>)_mm512_dpbf16_ps((__m512)sum, (__m512bh)x, (__m512bh)y);
#else
  Vec<float> next;
  for (int i = 0; i < kLanes<float>; ++i) next[i] = AddPairProduct(sum[i], x[i], y[i]);
  return next;
#endif
}

// sum + x * y.
template <typename T>
HLOCTS_INLINE Vec<SumOf<T>> MultiplyAdd(const Vec<SumOf<T>>& sum, const Vec<T>& x,
                                        const Vec<T>& y) {
  if constexpr (std::is_same_v<T, PairBf16>) {
    return AddPairProducts(sum, x, y);
  } else if constexpr (std::is_same_v<T, Pair16>) {
    Vec<T> next = sum + PairProducts(x, y);
#if defined(__SSE2__)
    asm("" : "+v"(next));  // else additions of several steps become a tree, and registers spill
#endif
    return next;
  } else {
    return sum + x * y;
  }
}

template <typename T>
HLOCTS_INLINE SumOf<T> MultiplyAddOne(SumOf<T> sum, T x, T y) {
  if constexpr (std::is_same_v<T, PairBf16>) return AddPairProduct(sum, x, y);
  if constexpr (std::is_same_v<T, Pair16>) return sum + PairProduct(x, y);
  return sum + x * y;
}

// The order of additions depends on the sizes alone. T: float, double, uint32_t, uint64_t,
// Pair16 and, if kPairsOfBf16, PairBf16.
template <typename T>
absl::Status Gemm(const Parallel& parallel, const GemmArgs<T>& args);

// A guess of the time of one product on one thread.
double GemmNanoseconds(int64_t m, int64_t n, int64_t k, int bytes);

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_ISA_H_
