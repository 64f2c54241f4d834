// SPDX-License-Identifier: Apache-2.0
// Streaming stores, for results that are not read before the cache would evict them.
#pragma once

#include <cstdint>

namespace hlocts::cpu {

inline constexpr int64_t kStreamAlignment = 64;
inline constexpr int64_t kStreamedBytes = 16 << 20;  // least size of a streamed result

// Copies with stores that bypass the caches and do not read the old contents. `to` must be aligned.
// Other threads see the data after FinishStreams.
void StreamBytes(const uint8_t* from, uint8_t* to, int64_t bytes);
void FinishStreams();

}  // namespace hlocts::cpu
