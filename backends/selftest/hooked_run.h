// SPDX-License-Identifier: Apache-2.0
// Runs the reference evaluator as an engine with a hook.
#pragma once

#include "backends/backend.h"

namespace hlocts::reference {
class EvalHook;
}

namespace hlocts::backends {

absl::StatusOr<ExecuteResult> RunHooked(const Module& module, const LoadOptions& options,
                                        const ExecuteRequest& request, reference::EvalHook* hook);

}  // namespace hlocts::backends
