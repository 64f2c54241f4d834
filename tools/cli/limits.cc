// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/limits.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "backends/worker/worker_process.h"
#include "reference/evaluator.h"

namespace hlocts::tools {
namespace {

constexpr char kNoTime[] = "no result within the time limit (--timeout)";
constexpr char kNoMemory[] = "out of memory";
// These differ from the statuses of CONTRACT.md, and from those that a shell uses (126 and above).
constexpr int kQuietNoTime = 101, kQuietNoMemory = 102;

// Ends the process without allocating memory or waiting for a lock.
template <int status>
[[noreturn]] void EndWith(const char* sentence) {
  backends::KillAllWorkers();
  for (const char* part : {"hlocts: ", sentence, "\n"}) {
    ssize_t ignored = write(STDERR_FILENO, part, std::strlen(part));
    static_cast<void>(ignored);
  }
  _exit(status);
}

template <int status>
[[noreturn]] void ExitSilently() {
  backends::KillAllWorkers();
  _exit(status);
}

}  // namespace

HardLimit::Clock::time_point HardDeadline(const CommonOptions& options, bool ours) {
  return reference::DeadlineAfter(ours && options.timeout_given ? options.timeout_seconds : 0);
}

void LimitMemory() {
  std::set_new_handler([] { EndWith<kExitUsage>(kNoMemory); });
}

void LimitTime() {
  HardLimit::SetHandler([] { EndWith<kExitFailed>(kNoTime); });
}

void SetSilentLimits() {
  HardLimit::SetHandler(ExitSilently<kQuietNoTime>);
  std::set_new_handler(ExitSilently<kQuietNoMemory>);
}

absl::Status StatusOfLimitedChild(int status) {
  if (WIFSIGNALED(status))
    return absl::InternalError(absl::StrCat("the child process was killed by signal ",
                                            WTERMSIG(status), " (", strsignal(WTERMSIG(status)),
                                            ")"));
  if (WEXITSTATUS(status) == kQuietNoTime) return absl::DeadlineExceededError(kNoTime);
  if (WEXITSTATUS(status) == kQuietNoMemory) return absl::ResourceExhaustedError(kNoMemory);
  return absl::InternalError(
      absl::StrCat("the child process exited with status ", WEXITSTATUS(status)));
}

}  // namespace hlocts::tools
