// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>

namespace hlocts::tools {
namespace {

constexpr int kNotExecuted = 127;
constexpr int kChildGraceMilliseconds = 1000;

std::atomic<pid_t> g_child{0};  // only one at a time

}  // namespace

absl::StatusOr<int> RunChild(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::cout.flush();
  int failure[2];  // receives errno if exec fails
  if (pipe2(failure, O_CLOEXEC) != 0) return absl::UnavailableError("pipe2 failed");
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // sent if the parent process is killed
    execvp(argv[0], argv.data());
    const int error = errno;
    ssize_t ignored = write(failure[1], &error, sizeof(error));
    static_cast<void>(ignored);
    _exit(kNotExecuted);
  }
  close(failure[1]);
  int error = errno;
  if (child > 0) {
    setpgid(child, child);
    g_child = child;
    if (read(failure[0], &error, sizeof(error)) != sizeof(error)) error = 0;
  }
  close(failure[0]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  g_child = 0;
  if (error != 0)
    return absl::UnavailableError(
        absl::StrCat(words[0], ": cannot be executed: ", std::strerror(error)));
  if (!WIFEXITED(status))
    return absl::UnavailableError(absl::StrCat(words[0], " was killed by a signal"));
  return WEXITSTATUS(status);
}

void EndChildren() {
  const pid_t child = g_child;
  if (child <= 0) return;
  kill(-child, SIGTERM);
  constexpr int kStep = 10;
  for (int waited = 0; waited < kChildGraceMilliseconds && kill(-child, 0) == 0; waited += kStep)
    usleep(kStep * 1000);
  kill(-child, SIGKILL);
}

}  // namespace hlocts::tools
