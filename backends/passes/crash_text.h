// SPDX-License-Identifier: Apache-2.0
// Finds the passes that XLA's messages about a crash or a rejection name.
#pragma once

#include <string>
#include <vector>

#include "spec/base/engine_error.h"

namespace hlocts::backends {

// Returns P if the error is "Failed after P". XLA's verifier runs between passes and names in this
// way the pass whose result it rejects.
std::string PassNamedByVerifier(const EngineError& error);

// Returns the passes that a stack frame or a failed check names. A frame
// `xla::RngExpander::RunImpl()` and a failed check in that pass's source file both yield
// rng-expander and rng_expander, since XLA spells names both ways. These names prove nothing; they
// only determine the order of the search.
std::vector<std::string> PassesNamedByStack(const EngineError& error);

}  // namespace hlocts::backends
