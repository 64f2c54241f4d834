// SPDX-License-Identifier: Apache-2.0
// What a recv stands for before its recv-done: zeros, which are there as soon as the graph is.
#ifndef HLOCTS_BACKENDS_ENGINE_PLAN_RECEIVED_H_
#define HLOCTS_BACKENDS_ENGINE_PLAN_RECEIVED_H_

#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::plan {

// ResourceExhausted where a recv asks for more bytes than the budget.
absl::Status CheckReceived(const Module& module, int64_t bytes_max);

}  // namespace hlocts::plan

#endif  // HLOCTS_BACKENDS_ENGINE_PLAN_RECEIVED_H_
