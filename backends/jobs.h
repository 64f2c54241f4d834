// SPDX-License-Identifier: Apache-2.0
// Limits the number of workers that run an engine in parallel.
#pragma once

#include "backends/backend.h"

namespace hlocts::backends {

// Returns `jobs`, or the engine's own limit (the capability "workers:N") if that is lower, but at
// least one. A reduction is reported on standard error.
int BoundedJobs(int jobs, const BackendInfo& info);

}  // namespace hlocts::backends
