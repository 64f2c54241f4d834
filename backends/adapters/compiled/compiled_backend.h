// SPDX-License-Identifier: Apache-2.0
// A compiler as an engine whose program is judged: it compiles, and the reference evaluates the
// optimized module from which the code is made. No hardware computes anything, so a failure is due
// to the compiler's passes.
#ifndef HLOCTS_BACKENDS_ADAPTERS_COMPILED_COMPILED_BACKEND_H_
#define HLOCTS_BACKENDS_ADAPTERS_COMPILED_COMPILED_BACKEND_H_

#include <memory>

#include "backends/backend.h"

namespace hlocts::backends {

// `compiler` loads modules and gives the optimized one (Executable::OptimizedModule); it executes
// nothing. `evaluator` evaluates that. Load answers with the compiler's status; Execute with
// kUnimplemented, "not evaluated: ...", where the optimized module has no meaning here, is not
// valid, or cannot be evaluated.
std::unique_ptr<Backend> MakeCompiledBackend(std::unique_ptr<Backend> compiler,
                                             std::unique_ptr<Backend> evaluator);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ADAPTERS_COMPILED_COMPILED_BACKEND_H_
