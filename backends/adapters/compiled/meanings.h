// SPDX-License-Identifier: Apache-2.0
// Meanings of compilers' custom calls, in HLO, from the documentation of the libraries they call.
#ifndef HLOCTS_BACKENDS_ADAPTERS_COMPILED_MEANINGS_H_
#define HLOCTS_BACKENDS_ADAPTERS_COMPILED_MEANINGS_H_

#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::backends {

// Turns each custom call with a known meaning into a call of a computation with that meaning, and a
// move that also changes the element type into a move and a convert. kUnimplemented names the first
// custom call whose meaning is unknown, or unknown for its shapes and attributes.
absl::Status GiveMeanings(Module& module);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ADAPTERS_COMPILED_MEANINGS_H_
