// SPDX-License-Identifier: Apache-2.0
// Calls of computations recurse on the C++ stack: a deeply nested module gets a thread with a stack
// of its depth.
#ifndef HLOCTS_REFERENCE_DEEP_STACK_H_
#define HLOCTS_REFERENCE_DEEP_STACK_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

// Runs `work`, which recurses as deep as calls nest in the module with at most `bytes_per_call` of
// stack each: here, or for deep modules on a stack of its own. ResourceExhausted: nested too deep
// for any stack; the work was not begun.
absl::Status RunOnStackFor(const Module& module, int64_t bytes_per_call,
                           absl::FunctionRef<void()> work);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_DEEP_STACK_H_
