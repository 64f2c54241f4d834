// SPDX-License-Identifier: Apache-2.0
// Measures processor time, which unlike wall time does not depend on other processes.
#pragma once

#include <sched.h>

namespace hlocts::tools {

// Keeps the calling thread, and processes that it starts, on the current core. A process and its
// worker take turns. On an idle machine each turn would wake another core, which does not occur in
// a campaign with a job for every core.
class OnOneCore {
 public:
  OnOneCore();
  ~OnOneCore();
  OnOneCore(const OnOneCore&) = delete;
  OnOneCore& operator=(const OnOneCore&) = delete;

 private:
  cpu_set_t before_;
};

// The processor time of this process, all threads.
double OwnSeconds();
// The processor time of this process's current workers, to a hundredth of a second.
double WorkerSeconds();

}  // namespace hlocts::tools
