// SPDX-License-Identifier: Apache-2.0
// Arrays whose values are indices, not data.
#ifndef HLOCTS_FUZZ_TRIAGE_INDEX_LEAVES_H_
#define HLOCTS_FUZZ_TRIAGE_INDEX_LEAVES_H_

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

// A parameter or constant that is read, and only as an index of a slice, gather or scatter.
bool OnlyIndexes(const Instruction& leaf);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_INDEX_LEAVES_H_
