// SPDX-License-Identifier: Apache-2.0
// Measures processor time, which, unlike wall time, does not depend on other processes.
#pragma once

#include <sched.h>

namespace hlocts::tools {

// Keeps the calling thread, and processes that it starts, on the current core. A process and its
// worker take turns: on an idle machine, each turn would wake another core. In a campaign with a
// job for every core, this does not happen.
class OnOneCore {
 public:
  OnOneCore();
  ~OnOneCore();
  OnOneCore(const OnOneCore&) = delete;
  OnOneCore& operator=(const OnOneCore&) = delete;

 private:
  cpu_set_t before_;
};

// Returns the processor time of this process, all threads included.
double OwnSeconds();
// Returns the processor time of this process's current workers, in units of 0.01 s.
double WorkerSeconds();

}  // namespace hlocts::tools
