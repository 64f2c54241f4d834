// SPDX-License-Identifier: Apache-2.0
#include "backends/selftest/hooked_run.h"

#include "backends/adapters/reference/reference_run.h"
#include "reference/shared_custom_calls.h"

namespace hlocts::backends {

absl::StatusOr<ExecuteResult> RunHooked(const Module& module, const LoadOptions& options,
                                        const ExecuteRequest& request, reference::EvalHook* hook) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<reference::CustomCallLibrary> custom_calls,
                          reference::SharedCustomCalls::Load(options.custom_calls));
  return RunReference(module, options, request, custom_calls.get(), hook);
}

}  // namespace hlocts::backends
