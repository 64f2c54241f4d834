// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/forked.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::tools {
namespace {

struct Child {
  size_t number;
  int pipe;
};

[[noreturn]] void Work(int out, unsigned seconds, const std::function<std::string()>& work) {
  alarm(seconds);
  std::string text = work();
  ssize_t written = write(out, text.data(), text.size());
  _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
}

ForkedResult Collect(int pipe, int status) {
  ForkedResult result;
  char buffer[4096];
  for (ssize_t n; (n = read(pipe, buffer, sizeof(buffer))) > 0;) {
    result.text.append(buffer, static_cast<size_t>(n));
  }
  close(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    result.text.clear();
    result.timed_out = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    result.crashed = !result.timed_out;
  }
  return result;
}

}  // namespace

void RunForked(size_t count, int jobs, double seconds,
               const std::function<std::string(size_t)>& work,
               const std::function<void(size_t, const ForkedResult&)>& done) {
  std::vector<ForkedResult> results(count);
  std::vector<bool> ready(count, false);
  std::map<pid_t, Child> children;
  size_t next = 0, reported = 0;
  while (reported < count) {
    while (next < count && children.size() < static_cast<size_t>(jobs)) {
      int ends[2];
      HLOCTS_CHECK(pipe(ends) == 0);
      pid_t pid = fork();
      HLOCTS_CHECK(pid >= 0);
      if (pid == 0) Work(ends[1], static_cast<unsigned>(seconds) + 1, [&] { return work(next); });
      close(ends[1]);
      children[pid] = {next++, ends[0]};
    }
    int status = 0;
    auto child = children.find(wait(&status));
    if (child == children.end()) continue;
    size_t number = child->second.number;
    results[number] = Collect(child->second.pipe, status);
    ready[number] = true;
    children.erase(child);
    for (; reported < count && ready[reported]; ++reported) done(reported, results[reported]);
  }
}

}  // namespace hlocts::tools
