// SPDX-License-Identifier: Apache-2.0
// Edits that the shrinker tries, and the properties that they remove: traits of a failure.
#pragma once

#include <functional>
#include <vector>

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

// Sets attributes to their simplest values: strides, paddings, dilations and others.
struct SimplifyingEdit {
  const char* name;                                   // of the removed property: "stride"
  std::function<bool(Instruction& instruction)> run;  // false: nothing to change
};
const std::vector<SimplifyingEdit>& SimplifyingEdits();

bool HasLayouts(const Module& module);  // other than the default

// A longer literal is simplified only if all elements can become one value.
constexpr int64_t kSimplifiedMax = 256;

// Returns true if a parameter or constant is used, and only as indices (slice, gather, scatter).
bool OnlyIndexes(const Instruction& leaf);

// Returns true if a loop permutes its state, which an update in place gets wrong.
bool AnyPermutations(const Module& module);
// Edits loop bodies so that each element of the loop state keeps its position.
void UndoPermutations(Module& module);

}  // namespace hlocts::fuzz
