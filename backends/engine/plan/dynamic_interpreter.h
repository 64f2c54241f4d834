// SPDX-License-Identifier: Apache-2.0
// Runs modules with run-time sizes, instruction by instruction, each for its actual sizes.
#pragma once

#include <functional>
#include <vector>

#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/pjrt/table/engine.h"

namespace hlocts::plan {

// The operations that an engine provides for one device.
struct DynamicEngine {
  // Runs one static instruction (BuildGraphsOf) on the leaves of its distinct operands.
  std::function<absl::StatusOr<std::vector<Literal>>(const Instruction& instruction,
                                                     std::vector<Literal> leaves)>
      run;
  std::function<absl::Status()> charge_step;  // called for each step of a loop
};

// Returns the leaves of the entry's result.
absl::StatusOr<std::vector<Literal>> RunDynamic(const Module& module,
                                                const std::vector<Literal>& arguments,
                                                const DynamicEngine& engine);

}  // namespace hlocts::plan
