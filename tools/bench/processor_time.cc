// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/processor_time.h"

#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace hlocts::tools {

OnOneCore::OnOneCore() {
  CPU_ZERO(&before_);
  sched_getaffinity(0, sizeof(before_), &before_);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof(one), &one);
}
OnOneCore::~OnOneCore() { sched_setaffinity(0, sizeof(before_), &before_); }

double OwnSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double WorkerSeconds() {
  double ticks = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(task.path() / "children");
    for (std::string pid; children >> pid;) {
      std::ifstream stat(absl::StrCat("/proc/", pid, "/stat"));
      std::string word;
      for (int field = 1; field <= 15 && stat >> word; ++field) {
        if (field >= 14) ticks += std::stod(word);  // the 14th and 15th field: user and system time
      }
    }
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace hlocts::tools
