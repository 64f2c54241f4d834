// SPDX-License-Identifier: Apache-2.0
// The worker's side of the protocol: serves one engine on a pair of file descriptors.
#ifndef HLOCTS_BACKENDS_WORKER_WORKER_SERVER_H_
#define HLOCTS_BACKENDS_WORKER_WORKER_SERVER_H_

#include "backends/backend.h"

namespace hlocts::backends {

// Answers requests until `input_fd` ends. The process's standard output must be `output_fd` alone:
// call ReserveStandardOutput first, so that output of a library does not break the frames.
absl::Status ServeWorker(Backend& backend, int input_fd, int output_fd);

// Moves standard output to a new descriptor (returned) and lets file descriptor 1 mean standard
// error.
int ReserveStandardOutput();

// Rounding to nearest, no flush-to-zero, no denormals-are-zero: the requirements of the reference's
// values.
absl::Status CheckFloatingPointEnvironment();

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_WORKER_WORKER_SERVER_H_
