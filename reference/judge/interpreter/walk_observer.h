// SPDX-License-Identifier: Apache-2.0
// Declares an observer of the walk over a module, which may narrow its sets.
#pragma once

#include "absl/types/span.h"
#include "reference/judge/interpreter/set_value.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

class WalkObserver {
 public:
  virtual ~WalkObserver() = default;
  // Records that an instruction has run. May narrow its result to sets that contain every legal
  // value.
  virtual void Record(const Instruction& instruction, absl::Span<const SetValue> operands,
                      const AccumulatedSums& sums, SetValue& result) = 0;
  // Narrows the sets of a recorded array. `output` is true for an output of the module.
  virtual void Tighten(SetArray& array, bool output) = 0;
};

}  // namespace hlocts::reference
