// SPDX-License-Identifier: Apache-2.0
// An observer of the walk over a module, which may narrow its sets.
#ifndef HLOCTS_REFERENCE_JUDGE_INTERPRETER_WALK_OBSERVER_H_
#define HLOCTS_REFERENCE_JUDGE_INTERPRETER_WALK_OBSERVER_H_

#include <vector>

#include "absl/types/span.h"
#include "reference/judge/interpreter/set_value.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

class WalkObserver {
 public:
  virtual ~WalkObserver() = default;
  // An instruction has been done; its result may be changed, to sets that still hold all that is
  // legal. sum_errors: how far the accumulation of each result may be from the exact sum.
  virtual void Record(const Instruction& instruction, absl::Span<const SetValue> operands,
                      absl::Span<const double> sum_errors, SetValue& result) = 0;
  // Narrows the sets of an array that was recorded. `output`: it leaves the module.
  virtual void Tighten(SetArray& array, bool output) = 0;
};

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_INTERPRETER_WALK_OBSERVER_H_
