// SPDX-License-Identifier: Apache-2.0
// Recognises arrays whose values are indices, not data.
#ifndef HLOCTS_FUZZ_TRIAGE_INDEX_LEAVES_H_
#define HLOCTS_FUZZ_TRIAGE_INDEX_LEAVES_H_

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

// Returns true if a parameter or constant is used, and only as indices (slice, gather, scatter).
bool OnlyIndexes(const Instruction& leaf);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_INDEX_LEAVES_H_
