// SPDX-License-Identifier: Apache-2.0
// Edits that set attributes to their simplest values: strides, paddings, dilations and others.
#ifndef HLOCTS_FUZZ_TRIAGE_SIMPLE_ATTRIBUTES_H_
#define HLOCTS_FUZZ_TRIAGE_SIMPLE_ATTRIBUTES_H_

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

#endif  // HLOCTS_FUZZ_TRIAGE_SIMPLE_ATTRIBUTES_H_
