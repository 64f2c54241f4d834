// SPDX-License-Identifier: Apache-2.0
// The worker's side of the worker protocol: serves one engine on a pair of file descriptors.
#pragma once

#include "backends/backend.h"

namespace hlocts::backends {

// Answers requests until `input_fd` ends. Only this function may write to `output_fd`: call
// ReserveStandardOutput first, so that a library's output does not break the frames.
absl::Status ServeWorker(Backend& backend, int input_fd, int output_fd);

// Moves standard output to a new descriptor, which is returned, and makes descriptor 1 a copy of
// standard error.
int ReserveStandardOutput();

// Returns an error unless the process rounds to nearest and has neither flush-to-zero nor
// denormals-are-zero, as the reference requires.
absl::Status CheckFloatingPointEnvironment();

}  // namespace hlocts::backends
