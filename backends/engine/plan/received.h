// SPDX-License-Identifier: Apache-2.0
// Checks sizes that no operand limits: those of values with unbounded dimensions, and of results of
// recv. Before recv-done, a recv's result is a constant of zeros, which occupies memory.
#pragma once

#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::plan {

// Returns Unimplemented if a dimension is unbounded, and ResourceExhausted if the result of a recv
// exceeds bytes_max.
absl::Status CheckReceived(const Module& module, int64_t bytes_max);

}  // namespace hlocts::plan
