// SPDX-License-Identifier: Apache-2.0
#include "backends/worker/worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace hlocts::backends {
namespace {

constexpr int kReapAttempts = 100;
constexpr useconds_t kReapPauseMicros = 10'000;
// The number of polls for a worker's exit, in 1.5 s. An interrupted run must end within 2 s.
constexpr int kEndAttempts = 750;
constexpr useconds_t kEndPauseMicros = 2'000;

// The process groups of the running workers; 0 is a free slot. If there is no free slot for a
// worker, PR_SET_PDEATHSIG ends it together with its driver.
std::array<std::atomic<pid_t>, 4096> g_workers;

// Runs in the child. Between fork and exec only async-signal-safe calls are allowed.
[[noreturn]] void RunChild(char* const* argv, int input_fd, int output_fd, int error_fd,
                           pid_t driver) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the worker ends when its driver is killed
  if (getppid() != driver) _exit(126);
  signal(SIGINT, SIG_IGN);  // Ctrl-C is for the driver, which then ends its workers
  signal(SIGTERM, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  dup2(input_fd, STDIN_FILENO);
  dup2(output_fd, STDOUT_FILENO);
  dup2(error_fd, STDERR_FILENO);
  execvp(argv[0], argv);
  const char message[] = "cannot be executed\n";
  ssize_t ignored = write(STDERR_FILENO, message, sizeof(message) - 1);
  static_cast<void>(ignored);
  _exit(127);
}

// Starts a shell in the group of a worker. It kills the group when `driver_end`, which it sets, is
// closed, e.g. because the driver was killed: PR_SET_PDEATHSIG ends a program, but not its
// children.
pid_t StartKeeper(pid_t group, int error_fd, int& driver_end) {
  int pipe_fds[2];
  if (pipe2(pipe_fds, O_CLOEXEC) != 0) return -1;
  pid_t pid = fork();
  if (pid == 0) {
    if (setpgid(0, group) != 0) _exit(126);
    dup2(pipe_fds[0], STDIN_FILENO);
    dup2(error_fd, STDOUT_FILENO);
    dup2(error_fd, STDERR_FILENO);
    execl("/bin/sh", "sh", "-c", "read line; kill -9 0", nullptr);
    _exit(127);
  }
  close(pipe_fds[0]);
  driver_end = pipe_fds[1];
  return pid;
}

// Returns a field in kB (VmRSS, VmHWM) of the status of a process, summed with that of its children
// (a shell may run the engine as a child).
int64_t KilobytesOf(const std::string& field, pid_t pid, int depth) {
  constexpr int kDepthMax = 8;
  std::ifstream status(absl::StrCat("/proc/", pid, "/status"));
  int64_t resident = 0;
  for (std::string word; status >> word;)
    if (word == field) status >> resident;
  std::error_code gone;  // the process may end at any time
  for (std::filesystem::directory_iterator task(absl::StrCat("/proc/", pid, "/task"), gone), end;
       !gone && task != end && depth < kDepthMax; task.increment(gone)) {
    std::ifstream children(task->path() / "children");
    for (pid_t child; children >> child;) resident += KilobytesOf(field, child, depth + 1);
  }
  return resident;
}

// Returns the offset of the last line that states why a process aborted; npos if there is none.
size_t MainErrorLine(const std::string& text) {
  size_t last = text.npos;
  for (const char* telling : {"Check failed", "LLVM ERROR", "what():", "Assertion"}) {
    size_t at = text.rfind(telling);
    if (at != text.npos && (last == text.npos || at > last)) last = at;
  }
  if (last == text.npos) return last;
  size_t line = text.rfind('\n', last);
  return line == text.npos ? 0 : line + 1;
}

}  // namespace

absl::StatusOr<std::unique_ptr<WorkerProcess>> WorkerProcess::Start(
    const std::vector<std::string>& argv) {
  signal(SIGPIPE, SIG_IGN);  // a write to a crashed worker returns an error
  int to_child[2], from_child[2];
  if (pipe2(to_child, O_CLOEXEC) != 0) return absl::UnavailableError("pipe2 failed");
  if (pipe2(from_child, O_CLOEXEC) != 0) return absl::UnavailableError("pipe2 failed");
  int error_fd = memfd_create("hlocts-stderr", MFD_CLOEXEC);
  if (error_fd < 0) return absl::UnavailableError("memfd_create failed");
  fcntl(error_fd, F_SETFL, O_APPEND);
  fcntl(to_child[1], F_SETFL, O_NONBLOCK);
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t driver = getpid();
  pid_t pid = fork();
  if (pid < 0) return absl::UnavailableError(absl::StrCat("fork: ", std::strerror(errno)));
  if (pid == 0) RunChild(arguments.data(), to_child[0], from_child[1], error_fd, driver);
  setpgid(pid, pid);
  close(to_child[0]);
  close(from_child[1]);
  auto process =
      std::unique_ptr<WorkerProcess>(new WorkerProcess(pid, to_child[1], from_child[0], error_fd));
  if (argv[0] == "/bin/sh") process->keeper_ = StartKeeper(pid, error_fd, process->keeper_fd_);
  return process;
}

// Returns true if the worker exits without a signal from this process. An idle worker exits when
// its input ends. A tool that watches it, e.g. a sanitizer, can then write a report.
bool WorkerProcess::ExitsBeforeKill() {
  for (int attempt = 0; attempt < kEndAttempts; ++attempt) {
    if (waitpid(pid_, &status_, WNOHANG) == pid_) return true;
    usleep(kEndPauseMicros);
  }
  return false;
}

void WorkerProcess::Register(pid_t pid) {
  for (auto& place : g_workers) {
    pid_t free = 0;
    if (place.compare_exchange_strong(free, pid)) return;
  }
}

void WorkerProcess::Forget(pid_t pid) {
  for (auto& place : g_workers) {
    pid_t found = pid;
    if (place.compare_exchange_strong(found, 0)) return;
  }
}

void KillAllWorkers() {
  for (auto& place : g_workers) {
    if (pid_t pid = place.load(); pid > 0) kill(-pid, SIGKILL);
  }
}

WorkerProcess::~WorkerProcess() {
  Forget(pid_);
  close(input_fd_);
  if (!reaped_ && !killed_ && ExitsBeforeKill()) {
    reaped_ = true;
    kill(-pid_, SIGKILL);  // also kills its children
  }
  if (!reaped_) {
    kill(-pid_, SIGKILL);
    while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
  }
  close(output_fd_);
  close(error_fd_);
  close(keeper_fd_);
  if (keeper_ > 0) waitpid(keeper_, nullptr, 0);
}

int64_t AllocatedBytes(int fd) {
  constexpr int64_t kBlockBytes = 512;
  struct stat info;
  return fstat(fd, &info) == 0 ? info.st_blocks * kBlockBytes : 0;
}

int64_t WorkerProcess::ResidentBytes(bool peak) const {
  return KilobytesOf(peak ? "VmHWM:" : "VmRSS:", pid_, 0) * 1024 + AllocatedBytes(error_fd_);
}

void WorkerProcess::Kill() {
  killed_ = true;
  kill(-pid_, SIGKILL);
}

std::string WorkerProcess::DescribeEnd() {
  for (int attempt = 0; !reaped_ && attempt < kReapAttempts; ++attempt) {
    if (waitpid(pid_, &status_, WNOHANG) == pid_) {
      reaped_ = true;
      break;
    }
    usleep(kReapPauseMicros);
  }
  if (!reaped_) {
    kill(-pid_, SIGKILL);
    waitpid(pid_, &status_, 0);
    reaped_ = true;
    return "closed its output and was killed";
  }
  kill(-pid_, SIGKILL);  // also kills its children
  if (WIFSIGNALED(status_)) {
    end_signal_ = WTERMSIG(status_);
    return absl::StrCat("killed by signal ", end_signal_, " (", strsignal(WTERMSIG(status_)), ")");
  }
  return absl::StrCat("exited with status ", WEXITSTATUS(status_));
}

void WorkerProcess::DiscardStderr() {
  [[maybe_unused]] int failed = ftruncate(error_fd_, 0);  // then an error shows earlier output, too
}

std::string WorkerProcess::ErrorTail(size_t bytes_max) const {
  constexpr size_t kLookedAt = size_t{1} << 16;
  const off_t size = lseek(error_fd_, 0, SEEK_END);
  if (size <= 0) return "";
  size_t count = std::min(std::max(bytes_max, kLookedAt), static_cast<size_t>(size));
  std::string tail(count, '\0');
  ssize_t n = pread(error_fd_, tail.data(), count, size - static_cast<off_t>(count));
  tail.resize(n > 0 ? static_cast<size_t>(n) : 0);
  size_t begin = tail.size() - std::min(bytes_max, tail.size());
  const size_t line_end = begin == 0 ? tail.npos : tail.find('\n', begin - 1);
  if (line_end != tail.npos && line_end + 1 < tail.size()) begin = line_end + 1;
  tail = tail.substr(std::min(begin, MainErrorLine(tail)), bytes_max);
  while (!tail.empty() && tail.back() == '\n') tail.pop_back();
  return tail;
}

}  // namespace hlocts::backends
