// SPDX-License-Identifier: Apache-2.0
// Checks the sizes of values that no operand limits: values without a bound, and results of recv. A
// result of recv exists as zeros from the construction of the graph until recv-done.
#pragma once

#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::plan {

// Returns Unimplemented if a size has no bound, ResourceExhausted if a recv needs more bytes than
// the budget.
absl::Status CheckReceived(const Module& module, int64_t bytes_max);

}  // namespace hlocts::plan
