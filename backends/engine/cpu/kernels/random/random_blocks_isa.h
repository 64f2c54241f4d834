// SPDX-License-Identifier: Apache-2.0
// Runs of consecutive counters through Philox. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RANDOM_RANDOM_BLOCKS_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RANDOM_RANDOM_BLOCKS_ISA_H_

#include <algorithm>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "backends/engine/cpu/kernels/runtime/vector_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

inline constexpr int64_t kRandomBlock = 512;  // counters at a time

// Products of the low halves.
HLOCTS_INLINE Vec<uint64_t> LowHalvesProduct(const Vec<uint64_t>& a, const Vec<uint64_t>& b) {
#if defined(__AVX512F__)  // unmasked, GCC 12 warns of its own header
  return (Vec<uint64_t>)_mm512_maskz_mul_epu32(0xFF, (__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (Vec<uint64_t>)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return (Vec<uint64_t>)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu);
#endif
}

// 10 rounds of Philox4x32 on 128-bit counters; words[w][i]. Each word is the low half of a lane:
// what stands in the high halves does not reach the products.
inline void PhiloxBlock(uint64_t key, uint64_t low, uint64_t high,
                        uint32_t (*__restrict words)[kRandomBlock]) {
  using Lanes = Vec<uint64_t>;
  typedef uint32_t Halves __attribute__((vector_size(kVectorBytes / 2)));
  const Lanes a_factor = Splat(uint64_t{0xD2511F53}), b_factor = Splat(uint64_t{0xCD9E8D57});
  Lanes number;
  for (int i = 0; i < kLanes<uint64_t>; ++i) number[i] = static_cast<uint64_t>(i);
  for (int64_t i = 0; i < kRandomBlock; i += kLanes<uint64_t>) {
    const Lanes at = Splat(low + static_cast<uint64_t>(i)) + number;
    const Lanes carried = Splat(high) - (Lanes)(at < Splat(low));
    Lanes x[4] = {at, at >> 32, carried, carried >> 32};
    uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
    HLOCTS_UNROLL for (int round = 0; round < 10; ++round) {
      const Lanes a = LowHalvesProduct(x[0], a_factor), b = LowHalvesProduct(x[2], b_factor);
      x[0] = (b >> 32) ^ x[1] ^ Splat(uint64_t{k0});
      x[1] = b;
      x[2] = (a >> 32) ^ x[3] ^ Splat(uint64_t{k1});
      x[3] = a;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    HLOCTS_UNROLL for (int w = 0; w < 4; ++w) {
      const Halves word = __builtin_convertvector(x[w], Halves);
      __builtin_memcpy(words[w] + i, &word, sizeof(word));
    }
  }
}

// Visits [0, count) `size` at a time over the pool: fill(first, n).
template <typename Fill>
void ForRandomBlocks(const Parallel& parallel, int64_t count, int64_t size, Fill fill) {
  parallel.For((count + size - 1) / size, 4.0 * size, [&](int64_t block, int64_t end) {
    for (; block < end; ++block) fill(block * size, std::min(size, count - block * size));
  });
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RANDOM_RANDOM_BLOCKS_ISA_H_
