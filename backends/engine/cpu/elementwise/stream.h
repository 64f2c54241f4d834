// SPDX-License-Identifier: Apache-2.0
// Streaming stores, for results so large that the cache would evict them before they are read.
#pragma once

#include <cstdint>

namespace hlocts::cpu {

inline constexpr int64_t kStreamAlignment = 64;
inline constexpr int64_t kStreamedBytes = 16 << 20;  // a streamed result has at least this size

// Copies with stores that bypass the caches and do not read old contents. `to` must be aligned.
// After FinishStreams other threads can read the data.
void StreamBytes(const uint8_t* from, uint8_t* to, int64_t bytes);
void FinishStreams();

}  // namespace hlocts::cpu
