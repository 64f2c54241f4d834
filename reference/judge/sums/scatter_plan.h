// SPDX-License-Identifier: Apache-2.0
// Finds the updates of a scatter for each element, if indices may be uncertain (lemma 31).
#pragma once

#include <cstdint>
#include <vector>

#include "spec/ir/module_fwd.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// The updates that are combined with each element of the operand.
struct ScatterPlan {
  std::vector<std::vector<int64_t>> updates;  // certain updates, in order
  std::vector<std::vector<int64_t>> maybe;    // possible updates
  bool violates_attribute = false;
  bool open = false;  // a window has too many possible positions
  bool uncertain = false;
  bool partly = false;  // a window is partly outside the operand
};

// With `whole`, ignores a window partly outside; else applies its part inside (ruling 0011).
ScatterPlan PlanScatter(const Instruction& scatter, const SetArray& operand,
                        const SetArray& indices, const SetArray& updates, bool whole);

}  // namespace hlocts::reference
