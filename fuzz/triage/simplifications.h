// SPDX-License-Identifier: Apache-2.0
// Edits that the shrinker tries. The properties that they remove are traits of a failure.
#pragma once

#include <functional>
#include <vector>

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

// An edit that sets an attribute to its simplest value: a stride, a padding, a dilation, ...
struct SimplifyingEdit {
  const char* name;                                   // of the property, e.g. "stride"
  std::function<bool(Instruction& instruction)> run;  // false: nothing to change
};
const std::vector<SimplifyingEdit>& SimplifyingEdits();

bool HasLayouts(const Module& module);  // other than the default

// A literal with more elements is simplified only if all elements can become one value.
constexpr int64_t kSimplifiedMax = 256;

// Returns true if a parameter or constant is used only as an index (of slice, gather, scatter).
bool OnlyIndexes(const Instruction& leaf);

// Returns true if a loop permutes its state, which engines that update in place often do wrongly.
bool AnyPermutations(const Module& module);
// Edits loop bodies so that each element of the loop state keeps its position.
void UndoPermutations(Module& module);

}  // namespace hlocts::fuzz
