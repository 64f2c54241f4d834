// SPDX-License-Identifier: Apache-2.0
// One run of the reference evaluator on a request of the Backend interface, shared by the reference
// backend and by the engines that plant faults in it.
//
// The reference always runs in the driver's process: a crash of it is a defect of ours and must not
// be reported as a verdict.
#ifndef HLOCTS_BACKENDS_ADAPTERS_REFERENCE_REFERENCE_RUN_H_
#define HLOCTS_BACKENDS_ADAPTERS_REFERENCE_REFERENCE_RUN_H_

#include <string>
#include <vector>

#include "backends/backend.h"
#include "reference/evaluator.h"

namespace hlocts::backends {

// The reference makes XLA's choice where the documents leave one (rulings 0005 to 0007, 0030).
std::vector<std::string> ReferenceFacts();

// Outputs and outfeed of the run; the states of donated arguments are left to the caller.
// `custom_calls` and `hook` may be null; the hook sees every instruction's value.
absl::StatusOr<ExecuteResult> RunReference(const Module& module, const LoadOptions& options,
                                           const ExecuteRequest& request,
                                           reference::CustomCallLibrary* custom_calls,
                                           reference::EvalHook* hook);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ADAPTERS_REFERENCE_REFERENCE_RUN_H_
