// SPDX-License-Identifier: Apache-2.0
// Seconds of processor time, which neighbours on the machine do not lengthen as they do a clock's.
#ifndef HLOCTS_TOOLS_BENCH_PROCESSOR_TIME_H_
#define HLOCTS_TOOLS_BENCH_PROCESSOR_TIME_H_

#include <sched.h>

namespace hlocts::tools {

// While it lives the calling thread, and processes that it starts, keep to one core: the
// present one. A process and its worker that take turns wake each other there as they do in a
// campaign with a job for every core; on a machine that idles each would wake another core.
class OnOneCore {
 public:
  OnOneCore();
  ~OnOneCore();
  OnOneCore(const OnOneCore&) = delete;
  OnOneCore& operator=(const OnOneCore&) = delete;

 private:
  cpu_set_t before_;
};

// Of this process, all threads.
double OwnSeconds();
// Of the workers that this process has now, to a hundredth of a second.
double WorkerSeconds();

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_BENCH_PROCESSOR_TIME_H_
