// The reference evaluator run as an engine with a hook in it.
#ifndef HLOCTS_BACKENDS_SELFTEST_HOOKED_RUN_H_
#define HLOCTS_BACKENDS_SELFTEST_HOOKED_RUN_H_

#include "backends/backend.h"

namespace hlocts {

class EvalHook;

absl::StatusOr<ExecuteResult> RunHooked(const Module& module, const LoadOptions& options,
                                        const ExecuteRequest& request, EvalHook* hook);

}  // namespace hlocts

#endif  // HLOCTS_BACKENDS_SELFTEST_HOOKED_RUN_H_
