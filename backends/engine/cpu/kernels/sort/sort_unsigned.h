// SPDX-License-Identifier: Apache-2.0
// Sorts unsigned integers in ascending order by vector instructions. All sorts by keys use it.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"

namespace hlocts::kernels {

__extension__ typedef unsigned __int128 Uint128;

// Sorts `keys`. U is uint8_t, uint16_t, uint32_t, uint64_t or Uint128. Long arrays are sorted in
// parts, which are then merged.
template <typename U>
absl::Status SortUnsigned(const Parallel& parallel, U* keys, int64_t count);

}  // namespace hlocts::kernels
