// SPDX-License-Identifier: Apache-2.0
// The driver's side of the worker protocol: an engine in a separate process. If the process
// crashes, hangs, writes malformed data to the pipe or uses too much memory, that is the outcome of
// the current module, and another process runs the next module.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"

namespace hlocts::backends {

struct WorkerCommand {
  std::string name;               // the backend's name on the command line
  std::vector<std::string> argv;  // program and arguments for execvp
};

// Returns the time limit for the answer to hello: 60 seconds unless --start-timeout sets another.
double StartSecondsMax();
void SetStartSecondsMax(double seconds);

// Returns a backend that starts the process on first use and again after a crash. Only one thread
// may use it at a time. Load returns kUnavailable if the process cannot be started.
std::unique_ptr<Backend> MakeWorkerBackend(WorkerCommand command);

}  // namespace hlocts::backends
