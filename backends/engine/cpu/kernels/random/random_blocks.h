// SPDX-License-Identifier: Apache-2.0
// Philox on consecutive counters.
#pragma once

#include <algorithm>

#include "backends/engine/cpu/kernels/runtime/thread_pool.h"

namespace hlocts::kernels {

inline constexpr int64_t kRandomBlock = 512;  // number of counters processed at a time

// Computes 10 rounds of Philox4x32 on consecutive 128-bit counters. words[w][i] is word w of
// counter i.
inline void PhiloxBlock(uint64_t key, uint64_t low, uint64_t high,
                        uint32_t (*__restrict words)[kRandomBlock]) {
  for (int64_t i = 0; i < kRandomBlock; ++i) {
    const uint64_t at = low + static_cast<uint64_t>(i), carried = high + (at < low ? 1 : 0);
    auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
    uint64_t x[4] = {at & 0xFFFFFFFFu, at >> 32, carried & 0xFFFFFFFFu, carried >> 32};
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = x[0] * 0xD2511F53u, b = x[2] * 0xCD9E8D57u;
      x[0] = (b >> 32) ^ x[1] ^ k0;
      x[1] = b & 0xFFFFFFFFu;
      x[2] = (a >> 32) ^ x[3] ^ k1;
      x[3] = a & 0xFFFFFFFFu;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    for (int w = 0; w < 4; ++w) words[w][i] = static_cast<uint32_t>(x[w]);
  }
}

// Calls fill(first, n) for blocks of `size` that cover [0, count), on several threads.
template <typename Fill>
void ForRandomBlocks(const Parallel& parallel, int64_t count, int64_t size, Fill fill) {
  parallel.For((count + size - 1) / size, 4.0 * size, [&](int64_t block, int64_t end) {
    for (; block < end; ++block) fill(block * size, std::min(size, count - block * size));
  });
}

}  // namespace hlocts::kernels
