// SPDX-License-Identifier: Apache-2.0
// A parallel loop over index ranges whose body returns a status.
#pragma once

#include <mutex>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"

namespace hlocts::cpu {

// Runs `body` like Parallel::For. Returns the error of one of the ranges, or OK if none failed.
inline absl::Status ForRanges(const kernels::Parallel& parallel, int64_t count, double cost_ns,
                              absl::FunctionRef<absl::Status(int64_t begin, int64_t end)> body,
                              int64_t grain = 1) {
  absl::Status failure;
  std::mutex mutex;
  parallel.For(
      count, cost_ns,
      [&](int64_t begin, int64_t end) {
        const absl::Status status = body(begin, end);
        if (status.ok()) return;
        const std::lock_guard<std::mutex> lock(mutex);
        failure = status;
      },
      grain);
  return failure;
}

}  // namespace hlocts::cpu
