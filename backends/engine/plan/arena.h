// SPDX-License-Identifier: Apache-2.0
// Places buffers that are live for some steps of a plan in one block of memory.
#ifndef HLOCTS_BACKENDS_ENGINE_PLAN_ARENA_H_
#define HLOCTS_BACKENDS_ENGINE_PLAN_ARENA_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "spec/base/status.h"

namespace hlocts::plan {

struct Lifetime {
  int64_t bytes = 0;
  int32_t first = 0;  // the step that writes it
  int32_t last = 0;   // the last step that reads or writes it
};

struct ArenaPlan {
  std::vector<int64_t> offsets;  // of each lifetime, multiples of kArenaAlignment
  int64_t bytes = 0;             // of the whole block
};

inline constexpr int64_t kArenaAlignment = 64;

// Buffers whose steps overlap do not share a byte. Lifetimes come in the order of `first`.
// ResourceExhausted when the block would be larger than bytes_max.
absl::StatusOr<ArenaPlan> PlanArena(absl::Span<const Lifetime> lifetimes, int64_t bytes_max);

}  // namespace hlocts::plan

#endif  // HLOCTS_BACKENDS_ENGINE_PLAN_ARENA_H_
