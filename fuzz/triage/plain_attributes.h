// SPDX-License-Identifier: Apache-2.0
// Attributes that are not at their plainest value: strides, paddings, dilations... each as an edit
// that makes it so.
#ifndef HLOCTS_FUZZ_TRIAGE_PLAIN_ATTRIBUTES_H_
#define HLOCTS_FUZZ_TRIAGE_PLAIN_ATTRIBUTES_H_

#include <functional>
#include <vector>

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

struct PlainEdit {
  const char* name;                                   // of what it takes away: "stride"
  std::function<bool(Instruction& instruction)> run;  // false: there was none
};
const std::vector<PlainEdit>& PlainEdits();

bool HasLayouts(const Module& module);  // others than the default ones

// A longer literal is simplified only if it can be one value throughout.
constexpr int64_t kSimplifiedMax = 256;

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_PLAIN_ATTRIBUTES_H_
