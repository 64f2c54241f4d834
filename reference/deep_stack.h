// SPDX-License-Identifier: Apache-2.0
// Runs the evaluation of a deeply nested module on a thread whose stack is large enough: calls of
// computations recurse on the C++ stack.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

// Runs `work`, which recurses as deep as the module's calls nest, with at most `bytes_per_call` of
// stack per call. Deep modules get a thread with its own stack. Returns ResourceExhausted without
// calling `work` if calls are nested too deep for any stack.
absl::Status RunOnStackFor(const Module& module, int64_t bytes_per_call,
                           absl::FunctionRef<void()> work);

}  // namespace hlocts::reference
