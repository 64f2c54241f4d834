// SPDX-License-Identifier: Apache-2.0
// An engine that tests only a compiler: the reference evaluates the optimized module from which the
// compiler generates code. No hardware computes anything, so a failure is due to the compiler's
// passes.
#pragma once

#include <memory>

#include "backends/backend.h"

namespace hlocts::backends {

// `compiler` loads a module and returns its optimized form (Executable::OptimizedModule), but
// executes nothing. `evaluator` evaluates that form. Load returns the status of the compiler. If
// the optimized module is invalid, cannot be evaluated or has an instruction that meanings.h does
// not define, Execute returns kUnimplemented with the text "not evaluated: ...".
std::unique_ptr<Backend> MakeCompiledBackend(std::unique_ptr<Backend> compiler,
                                             std::unique_ptr<Backend> evaluator);

}  // namespace hlocts::backends
