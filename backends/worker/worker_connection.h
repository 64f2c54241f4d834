// SPDX-License-Identifier: Apache-2.0
// One worker process and the communication with it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/worker.pb.h"
#include "backends/worker/wire.h"
#include "backends/worker/worker_process.h"
#include "spec/base/frame.h"

namespace hlocts::backends {

// A connection to a worker. After kAborted, kDeadlineExceeded or kDataLoss the process has ended,
// and the connection must be destroyed.
class WorkerConnection {
 public:
  // Starts the process and exchanges hellos. Returns kUnavailable if communication fails.
  static absl::StatusOr<std::unique_ptr<WorkerConnection>> Start(
      const std::vector<std::string>& argv, double start_seconds);

  const worker::HelloReply& hello() const { return hello_; }
  SharedMemory* memory() { return memory_.get(); }  // null if not used

  // Begins another module. If this module crashes the process, the error omits what earlier modules
  // wrote to standard error.
  void BeginModule();
  // Send and Receive wait for the process, and kill it if it exceeds a limit.
  absl::Status Send(absl::string_view frames, const LoadOptions& limits);
  absl::StatusOr<worker::Reply> Receive(const LoadOptions& limits);

 private:
  using Clock = std::chrono::steady_clock;
  using Deadline = std::chrono::time_point<Clock, std::chrono::duration<double>>;

  // `peak`: at any time since the process started.
  bool ExceedsMemory(const LoadOptions& limits, bool peak) const;
  absl::Status KillOnDeadline(const LoadOptions& limits, Deadline deadline, bool look_at_memory);
  absl::Status Died();
  absl::Status MalformedReply(absl::string_view what);

  std::unique_ptr<SharedMemory> memory_;
  std::unique_ptr<WorkerProcess> process_;
  std::unique_ptr<FrameReader> reader_;
  worker::HelloReply hello_;
};

}  // namespace hlocts::backends
