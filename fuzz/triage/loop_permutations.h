// SPDX-License-Identifier: Apache-2.0
// Finds loops that permute their state, which an update in place gets wrong.
#pragma once

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

bool AnyPermutations(const Module& module);
// Edits loop bodies so that each element of the loop state keeps its position.
void UndoPermutations(Module& module);

}  // namespace hlocts::fuzz
