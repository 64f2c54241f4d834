// SPDX-License-Identifier: Apache-2.0
// Places buffers with limited lifetimes in one block of memory.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "spec/base/status.h"

namespace hlocts::plan {

struct Lifetime {
  int64_t bytes = 0;
  int32_t first = 0;  // the step that writes the buffer
  int32_t last = 0;   // the last step that reads or writes it
};

struct ArenaPlan {
  std::vector<int64_t> offsets;  // one per lifetime, multiples of kArenaAlignment
  int64_t bytes = 0;             // size of the block
};

inline constexpr int64_t kArenaAlignment = 64;

// Assigns offsets to buffers. Buffers whose lifetimes overlap do not overlap in memory. Lifetimes
// must be sorted by `first`. Returns ResourceExhausted if the block would exceed bytes_max.
absl::StatusOr<ArenaPlan> PlanArena(absl::Span<const Lifetime> lifetimes, int64_t bytes_max);

}  // namespace hlocts::plan
