// SPDX-License-Identifier: Apache-2.0
// The thread pool of the process, and the handle through which kernels use it.
//
// Parallel::For splits [0, count) into chunks by cost. The calling thread works, too. No worker is
// woken if the total cost is less than that of waking it. Any thread may run any chunk, so a body
// must write only elements of its indices. The result then does not depend on the number of
// threads. A kernel that combines partial results must use fixed blocks (see Reduce).
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace hlocts::kernels {

using RangeBody = absl::FunctionRef<void(int64_t begin, int64_t end)>;

// A handle for at most a given number of threads of the process's pool. It is cheap to copy.
class Parallel {
 public:
  // 0 threads mean as many as the machine has. With 1, everything runs on the calling thread.
  explicit Parallel(int threads = 0);

  int threads() const { return threads_; }

  // Calls `body` on disjoint ranges that cover [0, count). `cost_ns` is the estimated time of one
  // index on one thread. The lengths of all ranges but the last are multiples of `grain`. If For is
  // called from a body, or while another thread uses the pool, everything runs on the calling
  // thread.
  void For(int64_t count, double cost_ns, RangeBody body, int64_t grain = 1) const;

 private:
  int threads_;
};

// A thread is woken only if the work takes more than this, in nanoseconds.
inline constexpr double kWakeNanoseconds = 20000;

}  // namespace hlocts::kernels
