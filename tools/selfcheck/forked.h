// SPDX-License-Identifier: Apache-2.0
// Runs work in child processes: a crash or a hang is a result.
#pragma once

#include <functional>
#include <string>

namespace hlocts::tools {

struct ForkedResult {
  std::string text;  // result of the work; empty if the work did not end
  bool crashed = false, timed_out = false;
};

// Runs work(i) for i < count, `jobs` at a time and each for at most `seconds`. Calls done(i,
// result) in order of i. A result has at most 64 KB. The calling process must have only one thread.
void RunForked(size_t count, int jobs, double seconds,
               const std::function<std::string(size_t)>& work,
               const std::function<void(size_t, const ForkedResult&)>& done);

}  // namespace hlocts::tools
