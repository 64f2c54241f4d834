// SPDX-License-Identifier: Apache-2.0
// Edits that set attributes to their simplest values: strides, paddings, dilations and others.
#pragma once

#include <functional>
#include <vector>

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

struct SimplifyingEdit {
  const char* name;                                   // of the removed property: "stride"
  std::function<bool(Instruction& instruction)> run;  // false: nothing to change
};
const std::vector<SimplifyingEdit>& SimplifyingEdits();

bool HasLayouts(const Module& module);  // other than the default

// A longer literal is simplified only if all elements can become one value.
constexpr int64_t kSimplifiedMax = 256;

}  // namespace hlocts::fuzz
