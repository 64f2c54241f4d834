// SPDX-License-Identifier: Apache-2.0
// Runs modules with run-time sizes. Each instruction runs separately, for its actual sizes.
#pragma once

#include <functional>
#include <vector>

#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/pjrt/table/engine.h"

namespace hlocts::plan {

// The functions that an engine provides to run instructions on one device.
struct DynamicEngine {
  // Runs one static instruction (see BuildGraphsOf) on the leaves of its distinct operands.
  std::function<absl::StatusOr<std::vector<Literal>>(const Instruction& instruction,
                                                     std::vector<Literal> leaves)>
      run;
  std::function<absl::Status()> charge_step;  // called for each step of a loop
};

// Runs the module, and returns the leaves of the entry computation's result.
absl::StatusOr<std::vector<Literal>> RunDynamic(const Module& module,
                                                const std::vector<Literal>& arguments,
                                                const DynamicEngine& engine);

}  // namespace hlocts::plan
