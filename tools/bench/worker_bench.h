// SPDX-License-Identifier: Apache-2.0
// Measures the cost of running an engine in another process.
#pragma once

#include <cstdint>
#include <string>

#include "spec/base/status.h"

namespace hlocts::tools {

struct WorkerRow {
  int64_t modules = 0;          // small random modules, each loaded and run once
  double alone_seconds = 0;     // per module, with the engine in this process
  double worker_seconds = 0;    // per module, with a worker; both processes together
  double bytes_per_second = 0;  // of large arrays, without the engine's own time
  double OverheadSeconds() const { return worker_seconds - alone_seconds; }
};
// Measures `backend` in a worker, and in this process with isolation=none. Times are processor
// time, except for large arrays: wall time, the best of several runs.
absl::StatusOr<WorkerRow> BenchWorker(const std::string& backend, int64_t modules);

}  // namespace hlocts::tools
