// SPDX-License-Identifier: Apache-2.0
// A child process with pipes on its standard input and output, and a file for its standard error.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::backends {

// Ends every worker of this process, with its children. It takes no locks, so a signal handler or a
// thread that must not take locks may call it when the process is about to end.
void KillAllWorkers();

// Returns the memory of a file in memory (memfd_create), in bytes.
int64_t AllocatedBytes(int fd);

class WorkerProcess {
 public:
  static absl::StatusOr<std::unique_ptr<WorkerProcess>> Start(const std::vector<std::string>& argv);
  // Waits 1.5 seconds for the process to end, then kills the process group and reaps it.
  ~WorkerProcess();

  int input_fd() const { return input_fd_; }    // the driver writes; does not block
  int output_fd() const { return output_fd_; }  // the driver reads
  // Returns the resident memory in bytes, including child processes and standard error.
  // If `peak`, returns the most that each process has had so far.
  int64_t ResidentBytes(bool peak = false) const;
  void Kill();
  // Waits at most a second for the process to end, then kills it. Describes how it ended, e.g.
  // "killed by signal 6 (Aborted)".
  std::string DescribeEnd();
  // Returns the signal that ended the process; 0 if it ended without one or DescribeEnd killed it.
  // Known only after DescribeEnd.
  int64_t end_signal() const { return end_signal_; }
  // Returns the last whole lines of standard error, at most `bytes_max` bytes. If a line states
  // what failed, the text begins with that line, since a message and its stack may be longer than
  // the limit.
  std::string ErrorTail(size_t bytes_max = 2000) const;
  // Discards all output on standard error so far.
  void DiscardStderr();

 private:
  WorkerProcess(pid_t pid, int input_fd, int output_fd, int error_fd)
      : pid_(pid), input_fd_(input_fd), output_fd_(output_fd), error_fd_(error_fd) {
    Register(pid);
  }
  static void Register(pid_t pid);
  static void Forget(pid_t pid);
  bool ExitsBeforeKill();

  pid_t pid_;
  pid_t keeper_ = -1;  // of a shell; see StartKeeper
  int keeper_fd_ = -1;
  int input_fd_, output_fd_, error_fd_;
  bool reaped_ = false, killed_ = false;
  int status_ = 0;
  int64_t end_signal_ = 0;
};

}  // namespace hlocts::backends
