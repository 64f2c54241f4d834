// SPDX-License-Identifier: Apache-2.0
// Runs a function on several threads of a system that may permit fewer.
#pragma once

#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

#include "spec/base/status.h"

namespace hlocts {

// Calls run(0), ..., run(count - 1) at the same time: run(0) on this thread and each other one on
// its own thread. If the system does not permit a thread, calls lacks(number, status) instead.
template <typename Run, typename Lacks>
void RunTogether(int64_t count, const Run& run, const Lacks& lacks) {
  std::vector<std::thread> threads;
  for (int64_t number = 1; number < count; ++number) {
    try {
      threads.emplace_back(run, number);
    } catch (const std::system_error& error) {
      lacks(number, absl::ResourceExhaustedError(absl::StrCat(
                        "cannot start ", count - 1, " threads: ", error.code().message())));
    }
  }
  run(0);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace hlocts
