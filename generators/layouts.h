// SPDX-License-Identifier: Apache-2.0
// Layouts as a text gives them: the default one, or drawn. They never change a value.
#ifndef HLOCTS_GENERATORS_LAYOUTS_H_
#define HLOCTS_GENERATORS_LAYOUTS_H_

#include "generators/choice_source.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::generators {

// Gives every array its default layout; `drawn`: some arrays of the entry another one. Operands of
// computations and elements of tuples keep the default: both sides would have to agree.
void SetLayouts(ChoiceSource& choose, bool drawn, Module& module);

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_LAYOUTS_H_
