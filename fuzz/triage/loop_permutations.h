// SPDX-License-Identifier: Apache-2.0
// Loops whose carried values change places: an engine that carries them in place gets them wrong.
#ifndef HLOCTS_FUZZ_TRIAGE_LOOP_PERMUTATIONS_H_
#define HLOCTS_FUZZ_TRIAGE_LOOP_PERMUTATIONS_H_

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

bool AnyPermutations(const Module& module);
// Each value stays where it is.
void UndoPermutations(Module& module);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_LOOP_PERMUTATIONS_H_
