// SPDX-License-Identifier: Apache-2.0
// One pool of threads per process, and the handle through which every kernel uses it.
//
// Parallel::For splits [0, count) into chunks by cost, lets the calling thread work too and wakes
// no worker when the total costs less than a wake-up. Which thread runs which chunk is not fixed,
// so a body may only write what its own indices own; then the result does not depend on the number
// of threads. A kernel that combines partial results fixes its own blocks (see Reduce).
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_THREAD_POOL_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_THREAD_POOL_H_

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace hlocts::kernels {

using RangeBody = absl::FunctionRef<void(int64_t begin, int64_t end)>;

// A handle, cheap to copy: "at most this many threads of the process's pool".
class Parallel {
 public:
  // 0: as many as the machine has. 1: everything runs on the calling thread.
  explicit Parallel(int threads = 0);

  int threads() const { return threads_; }

  // Calls body on disjoint ranges that cover [0, count). `cost_ns` is a guess of one index's time
  // on one thread; ranges are multiples of `grain` indices (but for the last). Called from inside
  // a body, or while another thread uses the pool, it runs everything on the calling thread.
  void For(int64_t count, double cost_ns, RangeBody body, int64_t grain = 1) const;

 private:
  int threads_;
};

// Work below this many nanoseconds is not worth waking a thread for.
inline constexpr double kWakeNanoseconds = 20000;

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_THREAD_POOL_H_
