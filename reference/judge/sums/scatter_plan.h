// SPDX-License-Identifier: Apache-2.0
// The updates of a scatter that meet each element, if indices may be uncertain (RULES 31).
#ifndef HLOCTS_REFERENCE_JUDGE_SUMS_SCATTER_PLAN_H_
#define HLOCTS_REFERENCE_JUDGE_SUMS_SCATTER_PLAN_H_

#include <cstdint>
#include <vector>

#include "spec/ir/module_fwd.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// The updates that meet each element of the operand.
struct ScatterPlan {
  std::vector<std::vector<int64_t>> updates;  // those that certainly do, in order
  std::vector<std::vector<int64_t>> maybe;    // those that may
  bool broken_promise = false;
  bool open = false;  // some window may be nearly anywhere
  bool uncertain = false;
  bool partly = false;  // some window lies partly outside
};

// whole: of windows partly outside nothing is applied, else what lies inside (ruling 0011).
ScatterPlan PlanScatter(const Instruction& scatter, const SetArray& operand,
                        const SetArray& indices, const SetArray& updates, bool whole);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_SUMS_SCATTER_PLAN_H_
