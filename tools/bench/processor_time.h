// SPDX-License-Identifier: Apache-2.0
// Seconds of processor time. Unlike wall time, other processes on the machine do not lengthen it.
#ifndef HLOCTS_TOOLS_BENCH_PROCESSOR_TIME_H_
#define HLOCTS_TOOLS_BENCH_PROCESSOR_TIME_H_

#include <sched.h>

namespace hlocts::tools {

// Keeps the calling thread, and processes that it starts, on the current core. A process and its
// worker that take turns wake each other there as they do in a campaign with a job for every core;
// on an idle machine each would wake another core.
class OnOneCore {
 public:
  OnOneCore();
  ~OnOneCore();
  OnOneCore(const OnOneCore&) = delete;
  OnOneCore& operator=(const OnOneCore&) = delete;

 private:
  cpu_set_t before_;
};

// Processor time of this process, all threads.
double OwnSeconds();
// Processor time of the current workers of this process, to a hundredth of a second.
double WorkerSeconds();

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_BENCH_PROCESSOR_TIME_H_
