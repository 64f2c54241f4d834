// SPDX-License-Identifier: Apache-2.0
// Modules that break one rule of the documents: a valid one with one thing changed.
#ifndef HLOCTS_GENERATORS_NEGATIVE_H_
#define HLOCTS_GENERATORS_NEGATIVE_H_

#include <string>
#include <vector>

#include "generators/choice_source.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::generators {

// Breaks a rule and returns its id; "" when nothing in the module can be broken in a way that is
// listed in negative_rows.h, the module being as it was.
std::string BreakOneRule(ChoiceSource& choose, Module& module);
// All rules that can be broken, sorted.
std::vector<std::string> BreakableRules();

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_NEGATIVE_H_
