// SPDX-License-Identifier: Apache-2.0
// Finds the passes that XLA's messages about a crash or a refusal name.
#ifndef HLOCTS_BACKENDS_PASSES_CRASH_TEXT_H_
#define HLOCTS_BACKENDS_PASSES_CRASH_TEXT_H_

#include <string>
#include <vector>

#include "spec/base/engine_error.h"

namespace hlocts::backends {

// "Failed after P": XLA's verifier runs between passes and names the one whose module it refuses.
std::string PassNamedByVerifier(const EngineError& error);

// Passes that a stack or a failed check points at: a failed check in the file of a pass and
// `xla::RngExpander::RunImpl()` give rng-expander and rng_expander, since XLA spells names both
// ways. This is no proof, only the order of the search.
std::vector<std::string> PassesNamedByStack(const EngineError& error);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_PASSES_CRASH_TEXT_H_
