// SPDX-License-Identifier: Apache-2.0
// The driver's side of the protocol: an engine in a process of its own. A crash, a hang, rubbish on
// the pipe or too much memory becomes the outcome of the current module; the next module gets a
// fresh process.
#ifndef HLOCTS_BACKENDS_WORKER_WORKER_CLIENT_H_
#define HLOCTS_BACKENDS_WORKER_WORKER_CLIENT_H_

#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"

namespace hlocts::backends {

// The separator between how a worker ended and its own words, in the reason of a crash.

struct WorkerCommand {
  std::string name;               // of the backend, as given on the command line
  std::vector<std::string> argv;  // program and arguments; run by execvp
};

// The time limit for a worker's answer to hello, in this process: 60 seconds unless --start-timeout
// sets another.
double StartSecondsMax();
void SetStartSecondsMax(double seconds);

// The process is started on first use and again after it died. Thread-compatible: one driver thread
// per worker. kUnavailable from Load: the process cannot be started at all.
std::unique_ptr<Backend> MakeWorkerBackend(WorkerCommand command);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_WORKER_WORKER_CLIENT_H_
