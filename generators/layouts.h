// SPDX-License-Identifier: Apache-2.0
// Sets layouts, default or random, as in the text of a module. Layouts never change a value.
#pragma once

#include "generators/choice_source.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::generators {

// Gives arrays their default layouts or, if `drawn`, some arrays of the entry other ones. Operands
// of computations and elements of tuples keep the default, since other code depends on them.
void SetLayouts(ChoiceSource& choose, bool drawn, Module& module);

}  // namespace hlocts::generators
