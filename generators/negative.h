// SPDX-License-Identifier: Apache-2.0
// Breaks one rule of the documents by one change to a valid module.
#pragma once

#include <string>
#include <vector>

#include "generators/choice_source.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::generators {

// Breaks a rule and returns its id. If no function of negative_rows.h applies, returns "" and does
// not change the module.
std::string BreakOneRule(ChoiceSource& choose, Module& module);
// Returns all rules that can be broken, sorted.
std::vector<std::string> BreakableRules();

}  // namespace hlocts::generators
