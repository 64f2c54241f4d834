// SPDX-License-Identifier: Apache-2.0
// Runs the reference evaluator on a request of the Backend interface. The reference backend and the
// engines that plant faults in it share this file.
//
// The reference always runs in the driver's process: if the reference crashes, that is a defect of
// this project and must not be reported as a verdict.
#pragma once

#include <string>
#include <vector>

#include "backends/backend.h"
#include "reference/evaluator.h"

namespace hlocts::backends {

// Returns the facts of the reference. If the documents leave a choice, the reference behaves like
// XLA (rulings 0005 to 0007, 0030).
std::vector<std::string> ReferenceFacts();

// Returns the outputs and the outfeed; the caller fills in the states of donated arguments.
// `custom_calls` and `hook` may be null; the hook is called with every instruction's value.
absl::StatusOr<ExecuteResult> RunReference(const Module& module, const LoadOptions& options,
                                           const ExecuteRequest& request,
                                           reference::CustomCallLibrary* custom_calls,
                                           reference::EvalHook* hook);

// Runs the reference as an engine with a hook; loads the custom calls that the options name.
absl::StatusOr<ExecuteResult> RunHooked(const Module& module, const LoadOptions& options,
                                        const ExecuteRequest& request, reference::EvalHook* hook);

}  // namespace hlocts::backends
