// SPDX-License-Identifier: Apache-2.0
// How many workers of an engine a machine has room for.
#ifndef HLOCTS_BACKENDS_JOBS_H_
#define HLOCTS_BACKENDS_JOBS_H_

#include "backends/backend.h"

namespace hlocts::backends {

// `jobs`, or as many as the engine says that there is room for (the capability "workers:N"), at
// least one; where that is less, it is said on standard error.
int BoundedJobs(int jobs, const BackendInfo& info);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_JOBS_H_
