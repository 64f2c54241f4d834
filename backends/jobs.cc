// SPDX-License-Identifier: Apache-2.0
#include "backends/jobs.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace hlocts::backends {

int BoundedJobs(int jobs, const BackendInfo& info) {
  for (absl::string_view word : info.capabilities) {
    int room = 0;
    if (!absl::ConsumePrefix(&word, "workers:") || !absl::SimpleAtoi(word, &room)) continue;
    room = std::max(room, 1);
    if (room >= jobs) continue;
    std::fprintf(stderr, "hlocts: %s: %d jobs instead of %d: the memory suffices for no more\n",
                 info.name.c_str(), room, jobs);
    jobs = room;
  }
  return jobs;
}

}  // namespace hlocts::backends
