// SPDX-License-Identifier: Apache-2.0
// One pool of threads per process, and the handle through which every kernel uses it.
//
// Parallel::For splits [0, count) into chunks by cost and also lets the calling thread work. It
// wakes no worker if the total costs less than a wake-up. Any thread may run any chunk, so a body
// may only write the elements of its own indices. The result then does not depend on the number of
// threads. A kernel that combines partial results must use fixed blocks (see Reduce).
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace hlocts::kernels {

using RangeBody = absl::FunctionRef<void(int64_t begin, int64_t end)>;

// A handle, cheap to copy, for at most a given number of threads of the process's pool.
class Parallel {
 public:
  // `threads` = 0 means as many as the machine has. With 1, everything runs on the calling thread.
  explicit Parallel(int threads = 0);

  int threads() const { return threads_; }

  // Calls `body` on disjoint ranges that cover [0, count). `cost_ns` is the estimated time of one
  // index on one thread. The length of every range but the last is a multiple of `grain`.
  // Everything runs on the calling thread if called from a body, or while another thread uses the
  // pool.
  void For(int64_t count, double cost_ns, RangeBody body, int64_t grain = 1) const;

 private:
  int threads_;
};

// Time in nanoseconds below which work is not worth waking a thread.
inline constexpr double kWakeNanoseconds = 20000;

}  // namespace hlocts::kernels
